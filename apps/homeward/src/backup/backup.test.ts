import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { createRuntime } from '@homeward/agent-runtime'
import { createPostgresStore as openAgentStore } from '@homeward/agent-runtime/postgres'
import { createDeviceCloud, createSingleUserSessions } from '@homeward/cloud-core'
import { createFsBlobs } from '@homeward/cloud-core/blobs/fs'
import { createPostgresStore as openCloudStore } from '@homeward/cloud-core/postgres'
import { createSqliteStore } from '@homeward/cloud-core/sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../../tests/postgres/test-database.ts'
import { createBackup } from './create-backup.ts'
import { restoreBackup } from './restore-backup.ts'
import { createZipWriter } from './create-backup.ts'

const ann = { userId: 'ann' }
const laptop = (name: string) => ({ name, type: 'laptop' as const, platform: 'linux' as const, metadata: {} })

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeward-backup-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Both servers' parts over one place, without ports. */
async function openServer(home: string, databaseUrl: string | undefined) {
  const connection = databaseUrl === undefined ? undefined : { connectionString: databaseUrl }
  const runtime = createRuntime({
    home,
    environment: {},
    ...(connection && { store: await openAgentStore(connection) }),
  })
  const cloud = createDeviceCloud({
    store: connection
      ? await openCloudStore(connection)
      : createSqliteStore({ path: join(home, 'cloud.db') }),
    blobs: createFsBlobs({ folder: join(home, 'files') }),
    sessions: createSingleUserSessions(),
  })
  return {
    runtime,
    cloud,
    async close() {
      await runtime.close()
      await cloud.close()
    },
  }
}

type Server = Awaited<ReturnType<typeof openServer>>

/** Writes without a pause until it is stopped. @returns names of what was confirmed, in order */
function writeOn({ runtime, cloud }: Server) {
  const confirmed: string[] = []
  let isStopped = false
  const done = (async () => {
    for (let at = 0; !isStopped; at += 1) {
      await cloud.registerDevice(ann, laptop(`device-${at}`))
      await runtime.agents.create({ id: `agent-${at}`, model: 'test/echo' })
      await runtime.run({ agent_id: `agent-${at}`, task: `it's "${at}" \\ ü` })
      confirmed.push(String(at))
    }
  })()
  return {
    confirmed,
    async stop() {
      isStopped = true
      await done
    },
  }
}

describe.each(['SQLite', 'Postgres'])('a backup of %s', (kind) => {
  it('has what was confirmed before it began, while more is written, and works on', async () => {
    const databases = kind === 'SQLite' ? [] : [await createTestDatabase(), await createTestDatabase()]
    const [from, to] = databases.map(({ connectionString }) => connectionString)
    const [home, copy, file] = [join(folder, 'home'), join(folder, 'copy'), join(folder, 'backup.zip')]
    const server = await openServer(home, from)
    await mkdir(home, { recursive: true })
    await writeFile(join(home, 'mcp.json'), '{}', { mode: 0o600 })
    const writing = writeOn(server)
    await expect.poll(() => writing.confirmed.length).toBeGreaterThan(20)
    const before = [...writing.confirmed]
    await createBackup({ file, home, databaseUrl: from, version: '0.1.0' })
    await writing.stop()
    await server.close()
    expect((await stat(file)).mode & 0o777).toBe(0o600)

    await restoreBackup({ file, home: copy, databaseUrl: to })
    expect((await stat(join(copy, 'mcp.json'))).mode & 0o777).toBe(0o600)
    const restored = await openServer(copy, to)
    const agents = new Set((await restored.runtime.agents.list()).map(({ id }) => id))
    expect(before.filter((at) => !agents.has(`agent-${at}`))).toEqual([])
    const devices = new Set((await restored.cloud.listDevices(ann)).devices.map(({ name }) => name))
    expect(before.filter((at) => !devices.has(`device-${at}`)).slice(-100)).toEqual([])
    const again = await restored.runtime.run({ agent_id: 'agent-0', task: 'and on' })
    expect(again.output).toContain('and on')
    await restored.cloud.registerDevice(ann, laptop('another'))
    await restored.close()
    for (const database of databases) await database.drop()
  })
})

describe('restoring', () => {
  async function backUp(home = join(folder, 'home')): Promise<string> {
    const server = await openServer(home, undefined)
    await server.cloud.registerDevice(ann, laptop('one'))
    await server.close()
    const file = join(folder, 'backup.zip')
    await createBackup({ file, home, databaseUrl: undefined, version: '9.0.0' })
    return file
  }

  it('rejects a data home that is not empty, and leaves it as it is', async () => {
    const file = await backUp()
    const home = join(folder, 'used')
    await mkdir(home)
    await writeFile(join(home, 'mine'), '')
    await expect(restoreBackup({ file, home, databaseUrl: undefined })).rejects.toThrow('is not empty')
    expect(await readdir(home)).toEqual(['mine'])
  })

  it('rejects a backup of a newer release', async () => {
    const home = join(folder, 'home')
    await backUp(home)
    const database = new DatabaseSync(join(home, 'cloud.db'))
    database.exec("insert into migrations (version, name) values (999, 'later')")
    database.close()
    const file = join(folder, 'newer.zip')
    await createBackup({ file, home, databaseUrl: undefined, version: '9.0.0' })
    const copy = join(folder, 'copy')
    const restoring = restoreBackup({ file, home: copy, databaseUrl: undefined })
    await expect(restoring).rejects.toThrow('from a newer release (9.0.0)')
    await expect(readdir(copy)).rejects.toThrow('ENOENT')
  })

  it('says what a file is not', async () => {
    const file = join(folder, 'text')
    await writeFile(file, 'no zip')
    const restoring = restoreBackup({ file, home: join(folder, 'copy'), databaseUrl: undefined })
    await expect(restoring).rejects.toThrow('is not a readable backup')
  })

  it('rejects a backup in which one byte is wrong, and one that is not ours, and writes nothing', async () => {
    const [damaged, made, copy] = ['damaged.zip', 'made.zip', 'copy'].map((name) => join(folder, name))
    const manifest = {
      format: 1,
      created_at: new Date(0).toISOString(),
      homeward: '1',
      sqlite: [],
      postgres: [],
    }
    const write = async (file: string, about: string) => {
      const zip = createZipWriter(file)
      await zip.add('backup.json', Readable.from(about))
      await zip.add('home/note', Readable.from('some text'))
      await zip.close()
    }
    await write(damaged ?? '', JSON.stringify(manifest))
    const bytes = await readFile(damaged ?? '')
    const sum = bytes.indexOf('PK\u0001\u0002', bytes.indexOf('PK\u0001\u0002') + 4) + 16
    bytes.writeUInt8(bytes.readUInt8(sum) ^ 1, sum)
    await writeFile(damaged ?? '', bytes)
    const restore = (file = '') => restoreBackup({ file, home: copy ?? '', databaseUrl: undefined })
    await expect(restore(damaged)).rejects.toThrow('is damaged at "home/note"')
    for (const about of ['{', JSON.stringify({ ...manifest, created_at: '\u001b]0;title\u0007' })]) {
      await write(made ?? '', about)
      await expect(restore(made)).rejects.toThrow('is not a backup of Homeward')
      await rm(made ?? '')
    }
    await expect(readdir(copy ?? '')).rejects.toThrow('ENOENT')
  })

  it('leaves the backup itself out when it is written into the data home', async () => {
    const home = join(folder, 'home')
    await backUp(home)
    const file = join(home, 'inside.zip')
    await createBackup({ file, home, databaseUrl: undefined, version: '1' })
    const copy = join(folder, 'copy')
    await restoreBackup({ file, home: copy, databaseUrl: undefined })
    const hidden = (await readdir(copy, { recursive: true })).filter((name) => name.includes('inside'))
    expect(hidden).toEqual([])
  })

  it('fails without a data home, and leaves no backup behind', async () => {
    const options = { file: join(folder, 'b.zip'), home: join(folder, 'none'), databaseUrl: undefined }
    await expect(createBackup({ ...options, version: '1' })).rejects.toThrow('none cannot be read')
    expect(await readdir(folder)).toEqual([])
  })

  it('never overwrites a file with a backup', async () => {
    const file = await backUp()
    const again = createBackup({ file, home: join(folder, 'home'), databaseUrl: undefined, version: '1' })
    await expect(again).rejects.toThrow('already exists. Choose a new file.')
    expect((await readdir(folder)).toSorted()).toEqual(['backup.zip', 'home'])
  })
})
