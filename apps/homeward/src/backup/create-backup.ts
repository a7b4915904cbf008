import { createReadStream, createWriteStream } from 'node:fs'
import { lstat, mkdir, readdir, realpath, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import type { Client } from 'pg'
import { openHomeFiles } from './home-files.ts'
import { homeFolder, manifestName, rowsFolder, type BackupManifest } from './manifest.ts'
import { openClient } from './open-client.ts'
import { describeSchema, openSnapshot, readRows } from './postgres-rows.ts'
import { backupScratch, removeLeftOvers } from './scratch.ts'
import { snapshotSqlite } from './sqlite-snapshot.ts'
import { pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'

/** What to back up, and where to. */
interface BackupOptions {
  /** The data home. */
  readonly home: string
  /** Where both servers keep their data, when not in the data home. Holds a password. */
  readonly databaseUrl: string | undefined
  /** The new file. */
  readonly file: string
  /** Version of the program. */
  readonly version: string
  /** Told what is done next. @default nobody */
  readonly onProgress?: (line: string) => void
}

/** What a backup holds. */
interface BackupSummary {
  readonly files: number
  /** Files of SQLite, or schemas of Postgres. */
  readonly databases: readonly string[]
}

/** Schemas of Postgres that the server uses. The queue's own is filled again when the server starts. */
export const serverSchemas = ['homeward_cloud', 'homeward'] as const

/** Files of SQLite in the data home. */
export const sqliteFiles = ['cloud.db', 'agents.db'] as const

/**
 * Backs up the data of a server, also while it runs: databases as of one moment each, then the files beside them. What
 * the server had confirmed before this began is in it.
 *
 * @throws {Error} when the file exists, or the data cannot be read. Nothing is left behind then.
 */
export async function createBackup(options: BackupOptions): Promise<BackupSummary> {
  const target = resolve(options.file)
  await assertHome(options.home)
  if (await lstat(target).catch(() => undefined))
    throw new Error(`Creating the backup failed: ${target} already exists. Choose a new file.`)
  await removeLeftOvers(dirname(target))
  const scratch = backupScratch(dirname(target))
  await mkdir(scratch, { mode: 0o700, recursive: true })
  const client = options.databaseUrl === undefined ? undefined : await openClient(options.databaseUrl)
  try {
    const whole = join(scratch, 'backup')
    const summary = await writeBackup(options, { scratch, whole, client })
    await rename(whole, target)
    return summary
  } finally {
    await client?.end()
    await rm(scratch, { recursive: true, force: true })
  }
}

interface BackupContext {
  readonly scratch: string
  readonly whole: string
  readonly client: Client | undefined
}

async function writeBackup(options: BackupOptions, context: BackupContext): Promise<BackupSummary> {
  const { home, version, onProgress = () => {} } = options
  const { client, scratch, whole } = context
  const sqlite = snapshotDatabases(home, scratch, onProgress, await namesIn(home))
  const postgres = client === undefined ? [] : await describeSchemas(client)
  const created_at = new Date().toISOString()
  const manifest: BackupManifest = { format: 1, created_at, homeward: version, sqlite, postgres }
  const zip = createZipWriter(whole)
  await zip.add(manifestName, Readable.from(JSON.stringify(manifest, null, 2)))
  for (const { file } of sqlite) await zip.add(`${homeFolder}${file}`, createReadStream(join(scratch, file)))
  for (const { name, tables } of postgres) {
    for (const table of tables) {
      onProgress(`Reading ${name}.${table} …`)
      await zip.add(`${rowsFolder}${name}/${table}.ndjson`, readRows(client as Client, name, table))
    }
  }
  onProgress('Copying files …')
  const files = await addFiles(zip, home, scratch, onProgress)
  await zip.close()
  return { files, databases: [...sqlite.map(({ file }) => file), ...postgres.map(({ name }) => name)] }
}

const namesIn = async (folder: string) => new Set(await readdir(folder).catch(() => []))

function snapshotDatabases(
  home: string,
  scratch: string,
  onProgress: (line: string) => void,
  names: ReadonlySet<string>,
): BackupManifest['sqlite'] {
  return sqliteFiles
    .filter((file) => names.has(file))
    .map((file) => {
      onProgress(`Reading ${file} …`)
      return { file, version: snapshotSqlite(join(home, file), join(scratch, file)) }
    })
}

async function describeSchemas(client: Client): Promise<BackupManifest['postgres']> {
  await openSnapshot(client)
  const found = []
  for (const name of serverSchemas) found.push(await describeSchema(client, name))
  return found.filter((schema) => schema !== undefined)
}

/** Everything in the data home but databases, the backup itself and what belongs to a running process. Files that go away are left out. */
async function addFiles(
  zip: ZipWriter,
  home: string,
  scratch: string,
  onProgress: (line: string) => void,
): Promise<number> {
  const own = await realpath(scratch)
  let count = 0
  let links = 0
  const files = openHomeFiles(
    home,
    (name, path) => isOfProcess(name) || path === own,
    () => (links += 1),
  )
  for await (const { name, handle, mode } of files) {
    await zip.add(`${homeFolder}${name}`, handle.createReadStream({ autoClose: false }), mode)
    count += 1
  }
  if (links > 0) onProgress(`${links} links in workspaces of agents are left out.`)
  return count
}

async function assertHome(home: string): Promise<void> {
  await readdir(home).catch((cause: unknown) => {
    const fix = 'Pass the data home with --home or HOMEWARD_HOME.'
    throw new Error(`Creating the backup failed: ${home} cannot be read. ${fix}`, { cause })
  })
}

const isOfProcess = (name: string) =>
  sqliteFiles.some((file) => name === file || name.startsWith(`${file}-`)) ||
  /(?:\.lock|\.sock|\.pid)(?:\/|$)/.test(name)

/** A zip file that is being written, for this user alone. */
interface ZipWriter {
  /** Adds one file, and waits until it has been read. */
  add(name: string, stream: NodeJS.ReadableStream, mode?: number): Promise<void>
  /** Writes the end. */
  close(): Promise<void>
}

/** A file that only its owner may read. */
const privateFile = 0o600
const regularFile = 0o100000

/**
 * Starts a zip file. Its calls reject once the disk is full or the file cannot be written.
 *
 * @param path of a file that does not exist
 */
export function createZipWriter(path: string): ZipWriter {
  const zip = new ZipFile()
  const written = pipeline(zip.outputStream, createWriteStream(path, { mode: privateFile, flags: 'wx' }))
  written.catch(() => {}) // each call tells
  return {
    async add(name, stream, mode = privateFile) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      stream.once('end', resolve).once('error', reject)
      zip.addReadStream(stream, name, { mode: regularFile | mode })
      await Promise.race([promise, written.then(() => promise)])
    },
    async close() {
      zip.end()
      await written
    },
  }
}
