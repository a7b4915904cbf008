import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, realpath, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createDeviceAgent } from '../../agent/create-device-agent.ts'
import type { OutboxEntry } from '../../ports/outbox.ts'
import { createFileAuditLog } from '../audit-log/create-file-audit-log.ts'
import { createFileOutbox, type DamagedFile } from './create-file-outbox.ts'

async function tempFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'homeward-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
const ready = (queryId: string, second = 0): OutboxEntry => ({
  queryId,
  state: 'ready',
  report: { queryId, results: { system: { cpu: 'c', memory: 'm', disk: 'd' } }, error: null },
  createdAt: at(second),
})
const running = (queryId: string, second = 0): OutboxEntry => ({
  queryId,
  state: 'running',
  request: { id: queryId, query: 'x', scope: ['files'], createdAt: at(0) },
  createdAt: at(second),
})

it('C17: keeps entries for the next process, oldest first, the newest form of each', async () => {
  const folder = await tempFolder()
  const first = createFileOutbox({ folder })
  await Promise.all([first.put(running('b', 2)), first.put(ready('a', 1)), first.put(ready('c', 3))])
  await first.put(ready('b', 2))
  await first.delete('c')
  await first.delete('never there')
  await first.close()
  await using second = createFileOutbox({ folder })
  expect(await second.list()).toEqual([ready('a', 1), ready('b', 2)])
})

it('makes names that no id can lead elsewhere, and files for the owner alone', async () => {
  const folder = path.join(await tempFolder(), 'state')
  await using outbox = createFileOutbox({ folder })
  for (const id of ['../../evil', '/etc/passwd', 'a\0b', 'CON']) await outbox.put(ready(id))
  const names = (await readdir(folder)).filter((name) => name !== 'outbox.lock')
  expect(names.every((name) => /^[0-9a-f]{64}\.json$/.test(name))).toBe(true)
  expect(await outbox.list()).toHaveLength(4)
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  for (const name of await readdir(folder))
    expect((await stat(path.join(folder, name))).mode & 0o777).toBe(0o600)
})

it('The agent: keeps nothing beside the documented fields, so no key is in the state folder', async () => {
  const folder = await tempFolder()
  await using outbox = createFileOutbox({ folder })
  const careless = { ...ready('a'), apiKey: 'hw_secret' }
  await outbox.put(careless)
  for (const name of await readdir(folder))
    expect(await readFile(path.join(folder, name), 'utf8')).not.toContain('hw_')
})

it('The agent: sets damaged files aside, says so, and gives the others', async () => {
  const folder = await tempFolder()
  const first = createFileOutbox({ folder })
  for (const id of ['cut', 'moved', 'whole']) await first.put(ready(id))
  await first.close()
  const named = async (id: string): Promise<string> => {
    for (const name of await readdir(folder))
      if ((await readFile(path.join(folder, name), 'utf8')).includes(`"queryId":"${id}"`))
        return path.join(folder, name)
    throw new Error(`no file of ${id}`)
  }
  await writeFile(await named('cut'), '{"queryId":"cu')
  const moved = await named('moved')
  await writeFile(moved, JSON.stringify(ready('somebody else')))
  const damaged: DamagedFile[] = []
  const onDamaged = (file: DamagedFile): void => {
    damaged.push(file)
    throw new Error('a listener that fails')
  }
  await using outbox = createFileOutbox({ folder, onDamaged })
  expect(await outbox.list()).toEqual([ready('whole')])
  expect(await outbox.list()).toHaveLength(1)
  expect(damaged.map((file) => path.extname(file.path))).toEqual(['.damaged', '.damaged'])
  await stat(`${moved}.damaged`)
})

it('refuses what does not fit, drops nothing, and still replaces', async () => {
  const folder = await tempFolder()
  await using outbox = createFileOutbox({ folder, maxEntries: 2, maxBytes: 2000 })
  await outbox.put(running('a', 1))
  await outbox.put(running('b', 2))
  await expect(outbox.put(ready('c'))).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' })
  await outbox.put(ready('a', 1))
  const large = { ...ready('b', 2), report: { queryId: 'b', error: 'x'.repeat(3000) } } as OutboxEntry // same state
  await expect(outbox.put(large)).rejects.toThrow(/full/)
  expect(await outbox.list()).toEqual([ready('a', 1), running('b', 2)])
})

it('lets one agent at a time use a folder, and the next after it closed', async () => {
  const folder = await tempFolder()
  const first = createFileOutbox({ folder })
  await first.list()
  const second = createFileOutbox({ folder })
  await expect(second.list()).rejects.toMatchObject({
    code: 'STATE_UNAVAILABLE',
    message: expect.stringContaining(`process ${process.pid}`),
  })
  await first.close()
  expect(await second.list()).toEqual([])
  await first.close()
  await expect(first.list()).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' })
  await second.close()
})

it('is closed with its agent, so the next agent of this process can have the folder', async () => {
  const folder = await tempFolder()
  const answer = (url: string) =>
    Response.json(url.endsWith('/pending') ? { requests: [] } : { success: true, status: 'online' })
  for (let round = 0; round < 2; round += 1) {
    await using agent = createDeviceAgent({
      baseUrl: 'https://cloud.example',
      apiKey: 'hw_x',
      fetch: async (url) => answer(url),
      providers: {},
      outbox: createFileOutbox({ folder }),
      auditLog: createFileAuditLog({ folder }),
      work: 'poll',
    })
    const problems: unknown[] = []
    agent.on('state:error', ({ error }) => problems.push(error))
    expect(await agent.runOnce()).toEqual({ searches: 0, uploads: 0, reports: 0 })
    const polled = new Promise((resolve) => agent.on('poll:end', resolve))
    agent.start()
    await polled
    expect(await readdir(folder)).toEqual(['outbox.lock'])
    await agent.stop()
    expect(problems).toEqual([])
    expect(await readdir(folder)).toEqual([])
  }
})

it('takes the lock of a dead process over, also when its number was given out again', async () => {
  const folder = await tempFolder()
  const dead = Number(execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }))
  for (const pid of [dead, process.pid, 1]) {
    await writeFile(path.join(folder, 'outbox.lock'), JSON.stringify({ pid, startedAt: 'then', token: 't' }))
    const outbox = createFileOutbox({ folder })
    expect(await outbox.list()).toEqual([])
    await outbox.close()
  }
})

it('waits with a lock that says nothing until it is certainly left over', async () => {
  const folder = await tempFolder()
  const lockFile = path.join(folder, 'outbox.lock')
  await writeFile(lockFile, '')
  await using outbox = createFileOutbox({ folder })
  await expect(outbox.list()).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' })
  await utimes(lockFile, 0, 0)
  expect(await outbox.list()).toEqual([])
})

it('C17: what put resolved is whole after kill -9', { timeout: 60_000 }, async () => {
  const folder = await tempFolder()
  const program = `
    const { createFileOutbox } = await import(${JSON.stringify(new URL('create-file-outbox.ts', import.meta.url).href)})
    const outbox = createFileOutbox({ folder: ${JSON.stringify(folder)} })
    const round = process.argv[1]
    for (let at = 0; ; at += 1) {
      const queryId = round + '-' + at
      const createdAt = new Date().toISOString()
      await outbox.put({ queryId, state: 'ready', createdAt, report: { queryId, error: 'x'.repeat(4000) } })
      process.stdout.write(queryId + '\\n')
    }`
  const resolved = new Set<string>()
  for (let round = 0; round < 6; round += 1) {
    const args = ['--conditions=@homeward/source', '--input-type=module', '-e', program, String(round)]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    // Killed somewhere in the write after a number of puts that differs each time.
    const killAfter = 3 + Math.floor(Math.random() * 40)
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (output.split('\n').length > killAfter) child.kill('SIGKILL')
    })
    await once(child, 'close')
    for (const id of output.split('\n').slice(0, -1)) resolved.add(id)
  }
  const damaged: DamagedFile[] = []
  await using outbox = createFileOutbox({ folder, onDamaged: (file) => damaged.push(file) })
  const kept = new Map((await outbox.list()).map((entry) => [entry.queryId, entry]))
  expect(resolved.size).toBeGreaterThanOrEqual(18)
  for (const id of resolved) expect(kept.get(id)).toMatchObject({ report: { error: 'x'.repeat(4000) } })
  expect(damaged).toEqual([])
  expect((await readdir(folder)).filter((name) => name.includes('.new'))).toEqual([])
})
