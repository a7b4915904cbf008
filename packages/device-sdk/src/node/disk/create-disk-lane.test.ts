import { execFileSync } from 'node:child_process'
import { constants } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createDiskLane, type DiskCall } from './create-disk-lane.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  if (vi.isFakeTimers()) expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

const lane = (slots = 2) => createDiskLane({ slots, code: 'FILE_UNAVAILABLE' })

/** A call that returns when it is told to. */
function hanging(at: string, more: Partial<DiskCall<string>> = {}) {
  const { promise, resolve } = Promise.withResolvers<string>()
  const work = vi.fn(() => promise)
  return { call: { at, work, ...more }, work, release: () => resolve('late') }
}
const quick = (at: string) => ({ at, work: async () => at })
const silent = { code: 'FILE_UNAVAILABLE', message: expect.stringContaining('did not respond within 10 s') }

it('makes as many calls at a time as it has slots, in order', async () => {
  const { run } = lane()
  const calls = ['/a', '/b', '/c'].map((at) => hanging(at))
  const results = calls.map(({ call }) => run(call))
  expect(calls.map(({ work }) => work.mock.calls.length)).toEqual([1, 1, 0])
  calls[0]!.release()
  await results[0]
  expect(calls[2]!.work).toHaveBeenCalledOnce()
  for (const { release } of calls) release()
  await Promise.all(results)
})

it('passes on the errors of calls, also of one that throws at once', async () => {
  const work = () => {
    throw new Error('gone')
  }
  await expect(lane().run({ at: '/a', work })).rejects.toThrow('gone')
})

describe('a disk that does not respond', () => {
  it('takes one slot only: calls at and under the same path wait, then fail, until it responds', async () => {
    const { run } = lane()
    const dead = hanging('/nas')
    const first = expect(run(dead.call)).rejects.toMatchObject(silent)
    const below = hanging('/nas/photos')
    const second = expect(run(below.call)).rejects.toMatchObject({ code: 'FILE_UNAVAILABLE' })
    expect(await run(quick('/nas2'))).toBe('/nas2')
    await vi.advanceTimersByTimeAsync(10_000)
    await Promise.all([first, second])
    await expect(run(below.call)).rejects.toMatchObject(silent)
    expect(below.work).not.toHaveBeenCalled()
    dead.release()
    await vi.advanceTimersByTimeAsync(0)
    expect(await run(quick('/nas/photos'))).toBe('/nas/photos')
  })

  it('fails every call at once when it has all slots', async () => {
    const { run } = lane()
    const dead = [hanging('/one'), hanging('/two')]
    const results = dead.map(({ call }) => expect(run(call)).rejects.toMatchObject(silent))
    await vi.advanceTimersByTimeAsync(10_000)
    await Promise.all(results)
    await expect(run(quick('/three'))).rejects.toMatchObject({ code: 'FILE_UNAVAILABLE' })
    for (const { release } of dead) release()
    await vi.advanceTimersByTimeAsync(0)
    expect(await run(quick('/three'))).toBe('/three')
  })

  it('is left by a caller whose signal aborts, waiting or not', async () => {
    const { run } = lane(1)
    const controller = new AbortController()
    const dead = hanging('/nas')
    const next = hanging('/disk')
    const results = [run(dead.call, controller.signal), run(next.call, controller.signal)]
    const left = Promise.all(results.map((result) => expect(result).rejects.toThrow('stopped')))
    controller.abort(new Error('stopped'))
    await left
    dead.release()
    await vi.advanceTimersByTimeAsync(0)
    expect(next.work).not.toHaveBeenCalled()
    await expect(run(quick('/disk'), controller.signal)).rejects.toThrow('stopped')
  })

  it('has its late result released, and what must run is run', async () => {
    const { run } = lane(1)
    const discard = vi.fn()
    const dead = hanging('/nas', { discard })
    const closing = hanging('/nas', { mustRun: true })
    const results = [dead, closing].map(({ call }) => expect(run(call)).rejects.toMatchObject(silent))
    await vi.advanceTimersByTimeAsync(10_000)
    await Promise.all(results)
    dead.release()
    await vi.advanceTimersByTimeAsync(0)
    expect(discard).toHaveBeenCalledWith('late')
    expect(closing.work).toHaveBeenCalledOnce()
    closing.release()
    await vi.advanceTimersByTimeAsync(0)
  })
})

it('gives long work its time as long as it makes progress', async () => {
  const { run } = lane()
  const dead = hanging('/outbox')
  const result = run({
    at: '/outbox',
    work: (progress) => {
      const timer = setInterval(progress, 5000)
      return dead.work().finally(() => clearInterval(timer))
    },
  })
  await vi.advanceTimersByTimeAsync(60_000)
  dead.release()
  expect(await result).toBe('late')
})

it.skipIf(process.platform === 'win32')('gives up a call that holds a thread of the pool', async () => {
  vi.useRealTimers()
  const folder = await mkdtemp(path.join(tmpdir(), 'homeward-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const pipe = path.join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const { run } = createDiskLane({ slots: 1, code: 'FILE_UNAVAILABLE', silentMs: 10 })
  const opening = run({ at: pipe, work: () => open(pipe, 'r'), discard: (late) => late.close() })
  await expect(opening).rejects.toMatchObject({ code: 'FILE_UNAVAILABLE' })
  const writer = await open(pipe, constants.O_WRONLY | constants.O_NONBLOCK)
  await writer.close()
})
