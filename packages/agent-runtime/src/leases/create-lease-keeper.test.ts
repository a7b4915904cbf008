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
