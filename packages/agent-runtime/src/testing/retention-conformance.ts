import type { Retention } from '../store/ports/retention.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import type { StoreHarness } from './conformance-case.ts'
import { type ConformanceCase, expectAborts, expectSame, expectTrue } from '@homeward/kit/testing'
import { storeCase } from './conformance-case.ts'
import { at, idsOf, journalOf, leaseOf, runOf, stepOf, waitingStepOf } from './conformance-fixtures.ts'
import { drawn, endRun, pruneAll, retentionAccountCases } from './retention-accounts.ts'
import { claimOf, outcomes, settlementOf, taskOf } from './tasks/task-fixtures.ts'

/** Store methods that the cases use in addition to `Retention`. */
export type RetentionConformanceStore = Retention &
  Pick<
    RuntimeStore,
    | 'insertRun'
    | 'saveRunStep'
    | 'finishRun'
    | 'findRun'
    | 'listRuns'
    | 'listRunMessages'
    | 'listRunEvents'
    | 'listWaitsOf'
    | 'appendEvents'
    | 'listEvents'
    | 'lastEventSeq'
    | 'insertTask'
    | 'claimTasks'
    | 'settleTask'
    | 'cancelTask'
    | 'retryTask'
    | 'findTask'
    | 'reserveBudget'
    | 'readBudget'
  >

/**
 * Conformance cases for `Retention`, for any test runner.
 *
 * @example
 * for (const { name, run } of retentionConformance) it(name, () => run({ create: async () => ({ store: createMyStore() }) }))
 */
export const retentionConformance: readonly ConformanceCase<StoreHarness<RetentionConformanceStore>>[] = [
  storeCase('A14: removes events from before a time, and never the newest one', async (store) => {
    for (const second of [0, 10, 20, 30])
      await store.appendEvents([journalOf('r1', { timestamp: at(second) })])
    const last = await store.lastEventSeq()
    await pruneAll(store, { journalBefore: at(20) })
    expectSame(await timesOf(store), [at(20), at(30)], 'the events that stay')
    await pruneAll(store, { journalBefore: at(1000) })
    expectSame(await timesOf(store), [at(30)], 'that the newest one stays')
    expectSame(await store.lastEventSeq(), last, 'its number')
    expectSame(await store.appendEvents([journalOf('r1')]), last + 1, 'the number of the next one')
  }),
  storeCase('A14: removes the oldest events when there are too many', async (store) => {
    const many = Array.from({ length: 1500 }, (_, index) => journalOf('r1', { timestamp: at(index) }))
    await store.appendEvents(many)
    await pruneAll(store, { journalEvents: 3 })
    expectSame(await timesOf(store), [at(1497), at(1498), at(1499)], 'the events that stay')
    await pruneAll(store, { journalEvents: 1, journalBefore: at(0) })
    expectSame(await timesOf(store), [at(1499)], 'the newest event')
  }),
  storeCase('A14: finds by its id what is left of a run, and what comes behind that', async (store) => {
    const ofRun = async () => idsIn(await store.listEvents({ runId: 'r1', limit: 1000 }))
    const left = async () => {
      const all = await store.listEvents({ limit: 1000 })
      return idsIn(all.filter(({ run_id: runId }) => runId === 'r1'))
    }
    // of a clock that was ahead: it stays, whatever comes behind it
    await store.appendEvents([journalOf('r2', { timestamp: at(100_000) })])
    await store.appendEvents(
      Array.from({ length: 400 }, (_, index) => journalOf('r1', { timestamp: at(index) })),
    )
    await pruneAll(store, { journalBefore: at(200) })
    expectSame(await ofRun(), await left(), 'the events of a run that stay')
    await store.appendEvents([journalOf('r2', { timestamp: at(400) })])
    await pruneAll(store, { journalEvents: 1 })
    await store.appendEvents([journalOf('r1', { timestamp: at(500) })])
    expectSame(await ofRun(), await left(), 'what came of a run of which nothing was left')
  }),
  storeCase('removes the steps of runs that ended before a time; the runs stay', async (store) => {
    for (const [index, id] of ['old', 'new'].entries()) await endRun(store, id, index * 100)
    await store.insertRun(runOf('open'), leaseOf(), [])
    await store.saveRunStep(stepOf('open'))
    const { finishedAt = '' } = (await store.findRun('old')) ?? {}
    await pruneAll(store, { runStepsBefore: finishedAt })
    expectTrue((await store.listRunMessages('old')).length > 0, 'that those of a run that ended then stay')
    await pruneAll(store, { runStepsBefore: at(50) })
    expectSame(await store.listRunMessages('old'), [], 'the messages of the old run')
    expectSame(await store.listRunEvents('old', 0), [], 'the stream of the old run')
    expectTrue((await store.findRun('old'))?.result !== undefined, 'that its result stays')
    for (const id of ['new', 'open']) {
      expectTrue((await store.listRunMessages(id)).length > 0, `that the messages of the ${id} run stay`)
      expectTrue((await store.listRunEvents(id, 0)).length > 0, `that the stream of the ${id} run stays`)
    }
  }),
  storeCase('removes runs that ended before a time, never one that runs or waits', async (store) => {
    for (let index = 0; index < 40; index += 1) await endRun(store, `old${index}`, index)
    await endRun(store, 'new', 100)
    await store.insertRun(runOf('running', { createdAt: at(101) }), leaseOf(), [])
    await store.insertRun(runOf('waiting', { createdAt: at(102) }), leaseOf(), [])
    await store.saveRunStep(waitingStepOf('waiting', ['p1']))
    await pruneAll(store, { runsBefore: at(100) })
    const { rows } = await store.listRuns({}, { limit: 100 })
    expectSame(idsOf(rows).toSorted(), ['new', 'running', 'waiting'], 'the runs that stay')
    const found = await store.listRuns({ text: runOf('new').task }, { limit: 100 })
    expectSame(idsOf(found.rows), idsOf(rows), 'the runs that are found by their words')
    expectSame((await store.listWaitsOf(['waiting'])).length, 1, 'the approvals of the one that waits')
    expectSame(await store.listRunMessages('old0'), [], 'the messages of a run that is gone')
    expectTrue((await store.listRunMessages('new')).length > 0, 'that messages of others stay')
  }),
  storeCase(
    'removes the runs that ended first when too many have ended, and none that runs or waits',
    async (store) => {
      for (let index = 0; index < 40; index += 1) await endRun(store, `r${index}`, index)
      await pruneAll(store, { runStepsBefore: at(30) })
      await store.insertRun(runOf('running'), leaseOf(), [])
      await store.insertRun(runOf('waiting'), leaseOf(), [])
      await store.saveRunStep(waitingStepOf('waiting', ['p1']))
      const left = async () => idsOf((await store.listRuns({}, { limit: 100 })).rows).toSorted()
      await pruneAll(store, { endedRuns: 40 })
      expectSame((await left()).length, 42, 'the runs while there are not too many')
      await pruneAll(store, { endedRuns: 2 })
      expectSame(await left(), ['r38', 'r39', 'running', 'waiting'], 'the runs that stay')
      expectSame(await store.listRunMessages('r37'), [], 'the messages of a run that is gone')
      await pruneAll(store, { endedRuns: 0 })
      expectSame(await left(), ['running', 'waiting'], 'the runs that have not ended')
    },
  ),
  storeCase('A7: removes tasks that ended before a time, never one that is open', async (store) => {
    const count = 300
    for (let index = 0; index < count; index += 1) await store.insertTask(taskOf(`old${index}`), [])
    await store.insertTask(taskOf('keyed', { idempotencyKey: 'k' }), [])
    await store.insertTask(taskOf('waits'), [])
    for (const { id } of await store.claimTasks(claimOf({ limit: count + 2, perSubject: count + 2 }))) {
      const outcome = id === 'waits' ? outcomes.parked : id === 'keyed' ? outcomes.failed : outcomes.completed
      await store.settleTask(settlementOf(id, outcome, { now: at(id === 'keyed' ? 100 : 5) }))
    }
    for (const id of ['runs', 'queued']) {
      await store.insertTask(taskOf(id), [])
      if (id === 'runs') await store.claimTasks(claimOf())
    }
    await pruneAll(store, { tasksBefore: at(100) })
    expectSame(await store.findTask('old0'), undefined, 'the first task')
    expectSame(await store.findTask(`old${count - 1}`), undefined, 'the last of the old tasks')
    for (const id of ['keyed', 'waits', 'runs', 'queued']) {
      expectTrue((await store.findTask(id)) !== undefined, `that the task "${id}" stays`)
    }
    await pruneAll(store, { tasksBefore: at(101) })
    const { created } = await store.insertTask(taskOf('again', { idempotencyKey: 'k' }), [])
    expectSame(created, true, 'whether the key of a task that is gone is free')
  }),
  storeCase('A7: a task is kept that is made, or begins anew, while old ones go', async (store) => {
    for (const [id, outcome] of [
      ['failed', outcomes.failed],
      ['done', outcomes.completed],
    ] as const) {
      await store.insertTask(taskOf(id, { idempotencyKey: `key ${id}` }), [])
      await store.claimTasks(claimOf())
      await store.settleTask(settlementOf(id, outcome))
    }
    const [again] = await Promise.all([
      store.retryTask('failed', at(6)),
      store.prune({ tasksBefore: at(100) }),
    ])
    expectSame((await store.findTask('failed'))?.status, again?.status, 'the task that begins anew')
    await store.insertTask(taskOf('old', { idempotencyKey: 'key old' }), [])
    await store.cancelTask('old', at(7))
    const [, made] = await Promise.all([
      store.prune({ runStepsBefore: at(0), tasksBefore: at(100) }),
      store.insertTask(taskOf('new', { idempotencyKey: 'key old' }), []),
    ])
    if (made.created) expectTrue((await store.findTask('new')) !== undefined, 'that the new task is kept')
  }),
  storeCase('removes what runs drew with their steps, and budgets of times that are over', async (store) => {
    const accounts = ['run:old', 'run:new', 'agent:a:2026-01-31', 'agent:a:2026-01', 'graph:g:2026-02-01']
    for (const id of ['old', 'new']) {
      await endRun(store, id, id === 'old' ? 0 : 3000)
      const keys = accounts.filter((key) => !key.startsWith('run:') || key === `run:${id}`)
      await store.reserveBudget({ id: `${id}:1:1`, accounts: keys.map((key) => ({ key })), ...drawn })
    }
    const tokens = async () => Promise.all(accounts.map(async (key) => (await store.readBudget(key)).tokens))
    await pruneAll(store, { runStepsBefore: '2025-12-31T00:00:00.000Z' })
    expectSame(await tokens(), [10, 10, 20, 20, 20], 'what is drawn before')
    await pruneAll(store, { runStepsBefore: '2026-01-31T23:59:59.000Z' })
    expectSame((await tokens()).slice(2), [20, 20, 20], 'periods that go on')
    await pruneAll(store, { runStepsBefore: '2026-02-01T00:00:00.000Z' })
    expectSame((await tokens()).slice(2), [0, 0, 20], 'periods that are over')
  }),
  ...retentionAccountCases,
  storeCase('keeps what no limit names', async (store) => {
    await endRun(store, 'r1', 0)
    await store.appendEvents([journalOf('r1'), journalOf('r1')])
    const before = await store.listEvents({ limit: 100 })
    expectSame(await store.prune({}), false, 'whether there is more')
    expectSame(await store.listEvents({ limit: 100 }), before, 'the journal')
    expectTrue((await store.listRunMessages('r1')).length > 0, 'that the messages stay')
  }),
  storeCase('gives up when its signal has aborted', async (store) => {
    await expectAborts({ prune: (signal) => store.prune({ journalEvents: 1 }, signal) })
  }),
]

const idsIn = (events: readonly { readonly seq: number }[]) => events.map(({ seq }) => seq)

async function timesOf(store: RetentionConformanceStore): Promise<string[]> {
  return (await store.listEvents({ limit: 1000 })).map(({ timestamp }) => timestamp)
}
