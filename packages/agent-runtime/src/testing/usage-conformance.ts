import type { JsonObject } from '@homeward/contract/agent-platform'
import type { ChannelStore } from '../store/ports/channel-store.ts'
import type { Journal } from '../store/ports/journal.ts'
import type { RunStore } from '../store/ports/run-store.ts'
import type { TaskStore } from '../store/ports/task-store.ts'
import type { UsageQuery, UsageStore } from '../store/ports/usage-store.ts'
import type { StoreHarness } from './conformance-case.ts'
import { type ConformanceCase, expectAborts, expectSame } from '@homeward/kit/testing'
import { storeCase } from './conformance-case.ts'
import { acceptanceOf } from './channels/channel-fixtures.ts'
import {
  approvalOf,
  at,
  journalOf,
  leaseOf,
  runOf,
  verdictOf,
  waitingStepOf,
} from './conformance-fixtures.ts'
import { addTasks, claimOf, taskOf } from './tasks/task-fixtures.ts'

type Store = Journal & UsageStore & TaskStore & RunStore & ChannelStore

const hour = 3600
const day = 24 * hour
const all: UsageQuery = { from: at(0), to: at(10 * day), interval: 'day', limit: 100 }

/** A model call that ended so many seconds after the first one. */
function callOf(seconds: number, data: JsonObject = {}) {
  const used = { agent_id: 'writer', model: 'test/echo', input_tokens: 10, output_tokens: 2 }
  return journalOf('r1', { type: 'model.completed', timestamp: at(seconds), data: { ...used, ...data } })
}

const total = (seconds: number, changes: object = {}) => ({
  start: at(seconds),
  agentId: 'writer',
  model: 'test/echo',
  calls: 1,
  inputTokens: 10,
  outputTokens: 2,
  cachedInputTokens: 0,
  cacheWriteInputTokens: 0,
  reasoningTokens: 0,
  microUsd: 0,
  pricedCalls: 0,
  ...changes,
})

/** What only some calls tell, and how it is summed up. */
const details = {
  cached_input_tokens: 4,
  cache_write_input_tokens: 3,
  reasoning_tokens: 1,
  cost_usd: 0.000003,
}
const summed = {
  cachedInputTokens: 4,
  cacheWriteInputTokens: 3,
  reasoningTokens: 1,
  microUsd: 3,
  pricedCalls: 1,
}

/**
 * Conformance cases for a `UsageStore`, for any test runner.
 *
 * @example
 * for (const { name, run } of usageStoreConformance) it(name, () => run({ create: async () => ({ store: createMyStore() }) }))
 */
export const usageStoreConformance: readonly ConformanceCase<StoreHarness<Store>>[] = [
  storeCase('sums up model calls of each user, and of one', async (store) => {
    await store.appendEvents([
      callOf(60, { user_id: 'ann' }),
      callOf(61, { user_id: 'bob' }),
      callOf(62, { user_id: 'ann' }),
      callOf(63),
    ])
    const ann = total(0, { calls: 2, inputTokens: 20, outputTokens: 4 })
    expectSame(
      await store.sumUsage({ ...all, byUsers: true }),
      [total(0), { ...ann, userId: 'ann' }, total(0, { userId: 'bob' })],
      'the usage of each user',
    )
    expectSame(await store.sumUsage({ ...all, userId: 'ann' }), [ann], 'the usage of a user')
    expectSame(
      await store.sumUsage({ ...all, userId: 'carl', byUsers: true }),
      [],
      'the usage of another user',
    )
  }),
  storeCase('D19: sums up model calls by day or hour, agent and model', async (store) => {
    expectSame(await store.sumUsage(all), [], 'the usage of nothing')
    await store.appendEvents([
      callOf(60),
      callOf(2 * hour, { ...details, input_tokens: 5_000_000_000 }),
      callOf(2 * hour, { model: 'test/tools' }),
      journalOf('r1', { type: 'tool.completed', timestamp: at(90) }),
      callOf(day + 5),
      callOf(day + 5, { agent_id: 'Zebra' }),
    ])
    expectSame(
      await store.sumUsage(all),
      [
        total(0, { calls: 2, inputTokens: 5_000_000_010, outputTokens: 4, ...summed }),
        total(0, { model: 'test/tools' }),
        total(day, { agentId: 'Zebra' }),
        total(day),
      ],
      'the usage by day',
    )
    const byHour = await store.sumUsage({ ...all, interval: 'hour', model: 'test/echo', agentId: 'writer' })
    const late = { inputTokens: 5_000_000_000, ...summed }
    expectSame(byHour, [total(0), total(2 * hour, late), total(day)], 'the usage by hour')
    expectSame(await store.sumUsage({ ...all, limit: 2 }), (await store.sumUsage(all)).slice(0, 2), 'a few')
  }),
  storeCase('D19: sums up what ended in a time, also when it was written late', async (store) => {
    for (let index = 0; index < 40; index += 1) await store.appendEvents([callOf(index * hour)])
    await store.appendEvents([callOf(30 * hour)])
    const calls = async (from: number, to: number) => {
      const totals = await store.sumUsage({
        ...all,
        from: at(from * hour),
        to: at(to * hour),
        interval: 'hour',
      })
      return totals.map((each) => each.calls)
    }
    expectSame(await calls(29, 32), [1, 2, 1], 'the calls of three hours')
    expectSame(await calls(39, 90), [1], 'the calls from the last on')
    expectSame(await calls(40, 90), [], 'the calls behind the last')
    expectSame(await calls(0, 1), [1], 'the calls of the first hour')
    for (let index = 40; index < 80; index += 1) await store.appendEvents([callOf(index * hour)])
    expectSame(await calls(29, 32), [1, 2, 1], 'the calls of three hours, much later')
    expectSame(await calls(78, 90), [1, 1], 'the last calls')
  }),
  storeCase('D19: an event without the fields counts as nothing known', async (store) => {
    await store.appendEvents([journalOf('r1', { type: 'model.completed', timestamp: at(5), data: {} })])
    const unknown = { agentId: '', model: '', inputTokens: 0, outputTokens: 0 }
    expectSame(await store.sumUsage(all), [total(0, unknown)], 'the usage')
  }),
  storeCase('counts what waits: tasks that are due, messages, approvals, and since when', async (store) => {
    const nothing = { count: 0, oldestAt: undefined }
    expectSame(
      await store.readBacklog(at(9)),
      { tasks: nothing, messages: nothing, approvals: nothing },
      'an empty store',
    )
    await addTasks(store, [
      taskOf('t1', { runAt: at(2) }),
      taskOf('t2', { runAt: at(1) }),
      taskOf('t3', { runAt: at(60) }),
    ])
    for (const id of ['r1', 'r2']) await store.insertRun(runOf(id), leaseOf(), [])
    await store.saveRunStep(waitingStepOf('r1', ['p1', 'p2']))
    await store.saveRunStep(waitingStepOf('r2', ['p1']))
    await store.settleWait(verdictOf('r1', 'p1'))
    const backlog = await store.readBacklog(at(9))
    expectSame(backlog.tasks, { count: 2, oldestAt: at(1) }, 'the tasks')
    const { createdAt } = approvalOf('r1', 'p2')
    expectSame(backlog.approvals, { count: 2, oldestAt: createdAt }, 'the approvals')
    await store.claimTasks(claimOf({ now: at(9) }))
    expectSame((await store.readBacklog(at(9))).tasks.count, 1, 'the tasks behind one that is worked on')
    await store.acceptMessages({
      now: at(3),
      acceptances: [acceptanceOf('m1'), acceptanceOf('m2', { channel: 'two' })],
    })
    expectSame((await store.readBacklog(at(9))).messages, { count: 2, oldestAt: at(0) }, 'the messages')
  }),
  storeCase('counting what waits gives up when its signal has aborted', async (store) => {
    await expectAborts({ readBacklog: (signal) => store.readBacklog(at(0), signal) })
  }),
  storeCase('summing up usage gives up when its signal has aborted', async (store) => {
    await expectAborts({ sumUsage: (signal) => store.sumUsage(all, signal) })
  }),
]
