import { createWriteStream } from 'node:fs'
import { chmod, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { printable } from '../terminal/printable.ts'
import { serverSchemas } from './create-backup.ts'
import { BackupManifest, homeFolder, manifestName, rowsFolder, type PostgresSchema } from './manifest.ts'
import { openClient } from './open-client.ts'
import { describeSchema, finishSchema, prepareSchema, writeRows } from './postgres-rows.ts'
import { removeLeftOvers, restoreScratch } from './scratch.ts'
import { readSchemaVersions } from './schema-versions.ts'
import { openZipReader, type ZipReader } from './zip-reader.ts'

/** Where a backup goes. */
interface RestoreOptions {
  readonly file: string
  /** The data home: an empty folder, or one that does not exist. */
  readonly home: string
  /** Where both servers keep their data, when not in the data home. Holds a password. */
  readonly databaseUrl: string | undefined
  /** Told what is done next. @default nobody */
  readonly onProgress?: (line: string) => void
}

/** What was restored. */
interface RestoreSummary {
  readonly files: number
  readonly databases: readonly string[]
  /** When the backup was made: ISO text. */
  readonly created_at: string
}

/**
 * Restores a backup into an empty data home and, for a backup of Postgres, into a database without the server's schemas.
 *
 * @throws {Error} when either is not empty, or the backup is damaged or from a newer release. Nothing is changed then.
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoreSummary> {
  const { file, home, onProgress = () => {} } = options
  const zip = await openZipReader(file).catch((cause: unknown) => {
    throw new Error(`Restoring failed: ${file} is not a readable backup. Check the path.`, { cause })
  })
  try {
    const manifest = await readManifest(zip, file)
    await checkVersions(manifest)
    await removeLeftOvers(home)
    await checkEmpty(home)
    checkDatabase(manifest, options.databaseUrl)
    onProgress('Checking the backup …')
    await checkWhole(zip, file)
    onProgress('Writing files …')
    const scratch = restoreScratch(home)
    try {
      const files = await extract(zip, scratch)
      if (options.databaseUrl !== undefined)
        await restoreSchemas(zip, manifest, options.databaseUrl, onProgress)
      for (const name of await readdir(scratch)) await rename(join(scratch, name), join(home, name))
      return { files, databases: namesOf(manifest), created_at: manifest.created_at }
    } finally {
      await rm(scratch, { recursive: true, force: true })
    }
  } finally {
    zip.close()
  }
}

const namesOf = ({ sqlite, postgres }: BackupManifest) => [
  ...sqlite.map(({ file }) => file),
  ...postgres.map(({ name }) => name),
]

async function readManifest(zip: ZipReader, file: string): Promise<BackupManifest> {
  const entry = zip.entries.get(manifestName)
  const parsed = entry && BackupManifest.safeParse(parseJson(await text(await entry.open())))
  if (parsed?.success) return parsed.data
  throw new Error(
    `Restoring failed: ${file} is not a backup of Homeward, or was made by a newer release. Use a release at least as new as the backup.`,
  )
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

async function checkWhole(zip: ZipReader, file: string): Promise<void> {
  const damaged = await zip.findDamage()
  if (damaged === undefined) return
  throw new Error(`Restoring failed: ${file} is damaged at "${printable(damaged)}". Restore another backup.`)
}

/** SQLite files of an older release are brought up to date by the next start; rows of Postgres have to fit as they are. */
async function checkVersions({ sqlite, postgres, homeward }: BackupManifest): Promise<void> {
  const known = await readSchemaVersions()
  const isNewer = [
    ...sqlite.map(({ file, version }) => version > (known.sqlite[file] ?? 0)),
    ...postgres.map(({ name, version }) => version > (known.postgres[name] ?? 0)),
  ].includes(true)
  if (isNewer) {
    throw new Error(
      `Restoring failed: the backup is from a newer release (${homeward}). Install that release first.`,
    )
  }
  if (postgres.every(({ name, version }) => version === known.postgres[name])) return
  throw new Error(
    `Restoring failed: the backup of Postgres is from release ${homeward}, which has another schema. ` +
      'Restore it with that release, then upgrade.',
  )
}

async function checkEmpty(home: string): Promise<void> {
  const names = await readdir(home).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw new Error(`Restoring failed: ${home} cannot be read. Check its permissions.`, { cause: error })
  })
  if (names.length === 0) return
  throw new Error(`Restoring failed: the data home ${home} is not empty. Pass an empty folder with --home.`)
}

function checkDatabase({ postgres }: BackupManifest, databaseUrl: string | undefined): void {
  if (postgres.length > 0 && databaseUrl === undefined) {
    throw new Error(
      'Restoring failed: the backup holds data of Postgres. Set DATABASE_URL to an empty database.',
    )
  }
  if (postgres.length === 0 && databaseUrl !== undefined) {
    throw new Error('Restoring failed: the backup holds no data of Postgres. Leave DATABASE_URL unset.')
  }
}

async function extract(zip: ZipReader, folder: string): Promise<number> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await chmod(dirname(folder), 0o700)
  let count = 0
  for (const { name, mode, open } of zip.entries.values()) {
    if (!name.startsWith(homeFolder)) continue
    const path = join(folder, name.slice(homeFolder.length))
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await pipeline(await open(), createWriteStream(path, { flags: 'wx', mode: mode & 0o777 }))
    count += 1
  }
  return count
}

async function restoreSchemas(
  zip: ZipReader,
  { postgres }: BackupManifest,
  databaseUrl: string,
  onProgress: (line: string) => void,
): Promise<void> {
  const client = await openClient(databaseUrl)
  try {
    for (const name of serverSchemas) {
      if ((await describeSchema(client, name)) === undefined) continue
      throw new Error(
        `Restoring failed: the database already has a schema "${name}". Set DATABASE_URL to an empty database.`,
      )
    }
    await createSchemas(databaseUrl)
    await client.query('begin')
    for (const schema of postgres) {
      onProgress(`Writing the schema ${schema.name} …`)
      await prepareSchema(client, schema)
      for (const table of schema.tables) await restoreTable(client, zip, schema, table)
      await finishSchema(client, schema)
    }
    await client.query('commit')
  } finally {
    await client.end()
  }
}

async function restoreTable(
  client: Awaited<ReturnType<typeof openClient>>,
  zip: ZipReader,
  { name }: PostgresSchema,
  table: string,
): Promise<void> {
  const entry = zip.entries.get(`${rowsFolder}${name}/${table}.ndjson`)
  if (entry === undefined)
    throw new Error(`Restoring failed: the backup lacks the table ${name}.${table}. Use another backup.`)
  const input = await entry.open()
  await writeRows(client, name, table, () => createInterface({ input, crlfDelay: Infinity }))
}

/** Has the stores make their schemas, as the first start would. */
async function createSchemas(databaseUrl: string): Promise<void> {
  const [cloud, agents] = await Promise.all([
    import('@homeward/cloud-core/postgres'),
    import('@homeward/agent-runtime/postgres'),
  ])
  for (const { createPostgresStore } of [cloud, agents]) {
    const store = await createPostgresStore({ connectionString: databaseUrl })
    await store.close()
  }
}
