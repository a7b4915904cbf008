import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createLeaseKeeper } from './create-lease-keeper.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type Answer = { held: readonly string[]; cancelRequested: readonly string[] }

function open(answer: (ids: readonly string[]) => Answer | Promise<Answer>) {
  const asked: string[][] = []
  const renew = async (_: unknown, ids: readonly string[]) => {
    asked.push([...ids])
    return answer(ids)
  }
  const leases = createLeaseKeeper({ store: { renewRuns: renew, renewTasks: renew }, owner: 'me' })
  return { leases, asked }
}

it('renews everything that is held by one timer, and nothing when nothing is held', async () => {
  const { leases, asked } = open((held) => ({ held, cancelRequested: [] }))
  expect(vi.getTimerCount()).toBe(0)
  const release = leases.hold('run', 'a', () => {})
  const second = leases.hold('run', 'b', () => {})
  expect(vi.getTimerCount()).toBe(1)
  await vi.advanceTimersByTimeAsync(5000)
  expect(asked).toEqual([['a', 'b']])
  release()
  release()
  await vi.advanceTimersByTimeAsync(5000)
  expect(asked.at(-1)).toEqual(['b'])
  second()
  expect(vi.getTimerCount()).toBe(0)
})

it('tells of what somebody else has, and once of what shall be cancelled', async () => {
  const { leases } = open(() => ({ held: ['b'], cancelRequested: ['b'] }))
  const told: string[] = []
  leases.hold('run', 'a', (why) => told.push(`a ${why}`))
  leases.hold('run', 'b', (why) => told.push(`b ${why}`))
  await vi.advanceTimersByTimeAsync(15_000)
  expect(told.toSorted()).toEqual(['a lost', 'b cancel'])
  leases.close()
})

it('gives up what could not be renewed until its lease was over', async () => {
  const { leases } = open(() => Promise.reject(new Error('no connection')))
  const told: string[] = []
  leases.hold('task', 'a', (why) => told.push(why))
  expect(leases.isFresh()).toBe(true)
  await vi.advanceTimersByTimeAsync(15_000)
  expect(told).toEqual([])
  await vi.advanceTimersByTimeAsync(10_000)
  expect(told).toEqual(['lost'])
  leases.close()
})

it('is not fresh after a pause of the process, until leases were renewed', async () => {
  const { leases } = open((held) => ({ held, cancelRequested: [] }))
  leases.hold('run', 'a', () => {})
  expect(leases.isFresh()).toBe(true)
  vi.setSystemTime(Date.now() + 30_000)
  expect(leases.isFresh()).toBe(false)
  await leases.renew()
  expect(leases.isFresh()).toBe(true)
  leases.close()
  expect(vi.getTimerCount()).toBe(0)
})

it('what was let go and taken again while the store was asked is not lost by the old answer', async () => {
  const gate = Promise.withResolvers<Answer>()
  const { leases } = open(() => gate.promise)
  const told: string[] = []
  const release = leases.hold('run', 'a', () => told.push('old'))
  const renewing = leases.renew()
  release()
  leases.hold('run', 'a', () => told.push('new'))
  gate.resolve({ held: [], cancelRequested: [] })
  await renewing
  expect(told).toEqual([])
  leases.close()
})

it('gives leases of 20 s to an owner that no other start of a process is', () => {
  const { renewRuns } = { renewRuns: async () => ({ held: [], cancelRequested: [] }) }
  const keepers = [createLeaseKeeper({ store: { renewRuns } }), createLeaseKeeper({ store: { renewRuns } })]
  const [first, second] = keepers.map(({ owner }) => owner)
  expect(first).toMatch(/^[\da-f-]{36}$/)
  expect(first).not.toBe(second)
  const until = new Date(Date.now() + 20_000).toISOString()
  expect(keepers[0]?.lease()).toEqual({ owner: first, until })
  expect(keepers[0]?.leaseMs).toBe(20_000)
})

it('asks for a whole lease from now on, in its own name', async () => {
  const wanted: unknown[] = []
  const renew = async (lease: unknown, held: readonly string[]) => {
    wanted.push(lease)
    return { held, cancelRequested: [] }
  }
  const leases = createLeaseKeeper({
    store: { renewRuns: renew, renewTasks: renew },
    owner: 'me',
    leaseMs: 8000,
  })
  leases.hold('task', 'a', () => {})
  await vi.advanceTimersByTimeAsync(2000)
  expect(wanted).toEqual([{ owner: 'me', until: new Date(Date.now() + 8000).toISOString() }])
  leases.close()
})

it('what is held is ours for as long as the lease that it was taken with', async () => {
  const { leases } = open(() => Promise.reject(new Error('no connection')))
  const told: string[] = []
  leases.lease()
  await vi.advanceTimersByTimeAsync(4000) // taking it took so long
  leases.hold('run', 'a', (why) => told.push(why))
  await vi.advanceTimersByTimeAsync(15_999)
  expect([leases.isFresh(), told]).toEqual([true, []])
  await vi.advanceTimersByTimeAsync(1)
  expect(leases.isFresh()).toBe(false)
  await leases.renew()
  expect(told).toEqual(['lost'])
  leases.close()
})

it('is not fresh while the leases of one kind cannot be renewed, and says so in the log', async () => {
  const errors: unknown[] = []
  const logger = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (...said: unknown[]) => errors.push(said),
  }
  const renewRuns = async (_: unknown, held: readonly string[]) => ({ held, cancelRequested: [] })
  const renewTasks = () => Promise.reject(new Error('no connection'))
  const leases = createLeaseKeeper({ store: { renewRuns, renewTasks }, owner: 'me', logger })
  leases.hold('run', 'a', () => {})
  const lost: string[] = []
  leases.hold('task', 'b', (why) => lost.push(why))
  await vi.advanceTimersByTimeAsync(19_999)
  expect([leases.isFresh(), lost]).toEqual([true, []])
  await vi.advanceTimersByTimeAsync(1)
  expect(leases.isFresh()).toBe(false)
  expect(lost).toEqual(['lost'])
  expect(errors).toHaveLength(4)
  expect(errors[0]).toEqual([expect.any(String), { kind: 'task', reason: 'no connection' }])
  leases.close()
})

it('what was renewed is ours for another lease, and who asks meanwhile waits for the same answer', async () => {
  let isDown = false
  const { leases, asked } = open((held) =>
    isDown ? Promise.reject(new Error('down')) : { held, cancelRequested: [] },
  )
  const told: string[] = []
  leases.hold('run', 'a', (why) => told.push(why))
  await vi.advanceTimersByTimeAsync(4000)
  await Promise.all([leases.renew(), leases.renew()])
  expect(asked).toHaveLength(1)
  isDown = true
  await vi.advanceTimersByTimeAsync(19_000)
  expect(told).toEqual([])
  await vi.advanceTimersByTimeAsync(5000)
  expect(told).toEqual(['lost'])
  // what is lost is renewed no more, and letting it go again changes nothing
  const before = asked.length
  await vi.advanceTimersByTimeAsync(20_000)
  expect(asked).toHaveLength(before)
  leases.close()
})

it('holds what is taken again anew, also when the old one is let go', async () => {
  const { leases, asked } = open((held) => ({ held, cancelRequested: [] }))
  const old = leases.hold('run', 'a', () => {})
  leases.hold('run', 'a', () => {})
  old()
  expect(vi.getTimerCount()).toBe(1)
  await vi.advanceTimersByTimeAsync(5000)
  expect(asked).toEqual([['a']])
  leases.close()
})

it('holds tasks without a store that knows of them, and renews nothing once it is closed', async () => {
  const asked: unknown[] = []
  const renewRuns = async (_: unknown, held: readonly string[]) => {
    asked.push(held)
    return { held, cancelRequested: [] }
  }
  const leases = createLeaseKeeper({ store: { renewRuns }, owner: 'me' })
  const told: string[] = []
  const release = leases.hold('task', 'a', (why) => told.push(why))
  await vi.advanceTimersByTimeAsync(60_000)
  expect([leases.isFresh(), told, asked]).toEqual([true, [], []])
  leases.hold('run', 'b', () => {})
  release()
  expect(vi.getTimerCount()).toBe(1)
  leases.close()
  leases.hold('run', 'c', () => {})
  await vi.advanceTimersByTimeAsync(60_000)
  expect(asked).toEqual([])
})

it('what is taken behind a pause of the process does not make fresh what was held before', async () => {
  const { leases } = open((held) => ({ held, cancelRequested: [] }))
  for (const [before, kind] of [
    ['run', 'task'],
    ['task', 'run'],
    ['run', 'run'],
  ] as const) {
    const release = leases.hold(before, 'a', () => {})
    vi.setSystemTime(Date.now() + 30_000)
    leases.lease()
    const releaseOther = leases.hold(kind, 'b', () => {})
    expect(leases.isFresh(), `${before}, ${kind}`).toBe(false)
    release()
    releaseOther()
  }
  // nothing is held any more: what is taken now is surely ours
  leases.hold('run', 'c', () => {})
  expect(leases.isFresh()).toBe(true)
  leases.close()
})

it('goes on renewing what is left, of whichever kind', async () => {
  for (const [first, second] of [
    ['run', 'task'],
    ['task', 'run'],
  ] as const) {
    const { leases, asked } = open((held) => ({ held, cancelRequested: [] }))
    const release = leases.hold(first, 'a', () => {})
    leases.hold(second, 'b', () => {})
    release()
    await vi.advanceTimersByTimeAsync(5000)
    expect(asked).toEqual([['b']])
    leases.close()
  }
})
