import type * as fsPromises from 'node:fs/promises'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createFileAuditLog } from '../audit-log/create-file-audit-log.ts'
import { createFileSearch } from '../file-search/create-file-search.ts'
import { createFileSource } from '../file-source/create-file-source.ts'
import { createFileOutbox } from '../outbox/create-file-outbox.ts'

// As a mount whose server is gone: its calls return when the test is over.
const disk = vi.hoisted(() => ({ dead: '', calls: 0, release: () => {}, gone: Promise.resolve() }))

vi.mock('node:fs/promises', async (importActual) => {
  const actual = await importActual<typeof fsPromises>()
  const hang =
    <Input extends unknown[], Result>(call: (...input: Input) => Promise<Result>) =>
    async (...input: Input): Promise<Result> => {
      if (disk.dead !== '' && String(input[0]).startsWith(disk.dead)) {
        disk.calls += 1
        await disk.gone
        throw Object.assign(new Error('ESTALE: stale file handle'), { code: 'ESTALE' })
      }
      return await call(...input)
    }
  return {
    ...actual,
    lstat: hang(actual.lstat as (file: string) => Promise<unknown>),
    stat: hang(actual.stat as (file: string) => Promise<unknown>),
    open: hang(actual.open),
    realpath: hang(actual.realpath as (file: string) => Promise<unknown>),
    mkdir: hang(actual.mkdir as (file: string) => Promise<unknown>),
  }
})

let base = ''
beforeEach(async () => {
  disk.dead = ''
  base = await realpath(await mkdtemp(path.join(tmpdir(), 'homeward-')))
  for (const folder of ['nas', 'nas/a', 'nas/b', 'home']) await mkdir(path.join(base, folder))
  for (const folder of ['nas', 'home']) await writeFile(path.join(base, folder, 'hit.txt'), 'text')
  disk.gone = new Promise((resolve) => (disk.release = resolve))
  disk.dead = path.join(base, 'nas')
  disk.calls = 0
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(async () => {
  disk.release()
  await setImmediate()
  await setImmediate()
  vi.useRealTimers()
  await rm(base, { recursive: true, force: true })
})

/** Lets time pass until `work` has settled; gives it up after two minutes. */
async function settled<Result>(work: Promise<Result>): Promise<Result> {
  let isOver = false
  void work.catch(() => {}).finally(() => (isOver = true))
  for (let seconds = 0; !isOver && seconds < 120; seconds += 0.25) {
    await vi.advanceTimersByTimeAsync(250)
    // The real disk has its time, too.
    for (const until = performance.now() + 3; performance.now() < until;) await setImmediate()
  }
  if (!isOver) throw new Error('It did not settle.')
  return await work
}

const find = (roots: readonly string[], signal = new AbortController().signal) =>
  createFileSearch({ roots })({ queryId: 'q', query: 'hit', scope: 'files', maxRows: 10, signal })
const home = () => path.join(base, 'home')
const silent = { code: 'FILE_UNAVAILABLE', message: expect.stringContaining('did not respond') }

it('finds what the other folders hold, and says that rows are missing', async () => {
  const { found, truncated } = await settled(find([base]))
  expect(found.map((file) => file.path)).toEqual([path.join(home(), 'hit.txt')])
  expect(truncated).toBe(true)
  const again = await find([path.join(base, 'nas'), home()])
  expect([again.found.length, again.truncated]).toEqual([1, true])
  expect(disk.calls).toBe(1)
})

it('gives what was found at the deadline, however many searches run', async () => {
  const controller = new AbortController()
  const searches = Array.from({ length: 5 }, () => find([disk.dead, home()], controller.signal))
  setTimeout(() => controller.abort(new Error('late')), 5000)
  for (const { found, truncated } of await settled(Promise.all(searches))) {
    expect([found.length, truncated]).toEqual([1, true])
  }
  expect(disk.calls).toBe(1)
})

it('rejects a search whose only root does not respond', async () => {
  await expect(settled(find([disk.dead]))).rejects.toMatchObject(silent)
})

it('rejects an upload from there, and allows others', async () => {
  const source = createFileSource({ roots: [disk.dead, home()] })
  const open = (file: string) => source.open(file, { maxBytes: 10, signal: new AbortController().signal })
  await expect(settled(open(path.join(disk.dead, 'hit.txt')))).rejects.toMatchObject(silent)
  await (await settled(open(path.join(home(), 'hit.txt')))).close()
  const elsewhere = createFileSource({ roots: [home()] }).open(path.join(disk.dead, 'hit.txt'), {
    maxBytes: 10,
    signal: new AbortController().signal,
  })
  await expect(settled(elsewhere)).rejects.toMatchObject({ code: 'POLICY_DENIED' })
})

it('rejects calls of an outbox and an audit log that lie there, and their close ends', async () => {
  const outbox = createFileOutbox({ folder: path.join(disk.dead, 'state') })
  const audit = createFileAuditLog({ folder: path.join(disk.dead, 'state') })
  const entry = { at: '', action: 'search', outcome: 'allowed', id: 'q', subject: 'hit' } as const
  const state = { code: 'STATE_UNAVAILABLE' }
  await expect(settled(outbox.list())).rejects.toMatchObject(state)
  await expect(audit.append(entry)).rejects.toMatchObject(state)
  await expect(outbox.delete('q')).rejects.toMatchObject(state)
  await expect(Promise.all([outbox.close(), audit.close?.()])).rejects.toMatchObject(state)
  expect(disk.calls).toBe(1)
})
