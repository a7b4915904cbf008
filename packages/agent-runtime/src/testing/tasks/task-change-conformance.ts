import type { StoredTask } from '../../store/ports/task-store.ts'
import type { StoreHarness } from '../conformance-case.ts'
import { type ConformanceCase, race, expectSame } from '@homeward/kit/testing'
import { storeCase } from '../conformance-case.ts'
import { at, idsOf, resultOf } from '../conformance-fixtures.ts'
import type { JournaledTasks } from './task-fixtures.ts'
import {
  addTasks,
  claimAll,
  claimOf,
  outcomes,
  runTask,
  settlementOf,
  taskEventOf,
  taskOf,
} from './task-fixtures.ts'

const ended = taskEventOf('task.failed')
const typesOf = async (store: JournaledTasks) =>
  (await store.listEvents({ limit: 99 })).map(
    ({ type, data }) => `${type} ${JSON.stringify(data['task_id'])}`,
  )
const stateOf = (task: StoredTask | undefined) =>
  task && {
    status: task.status,
    attempt: task.attempt,
    runCount: task.runCount,
    parked: task.parked,
    lease: task.lease,
    runAt: task.runAt,
    finishedAt: task.finishedAt,
    failure: task.failure?.code,
  }

/** What a `TaskStore` promises about tasks that were taken. */
export const taskChangeConformance: readonly ConformanceCase<StoreHarness<JournaledTasks>>[] = [
  storeCase('A7: a lease is renewed for its owner only, who hears of a cancellation', async (store) => {
    await addTasks(store, [taskOf('t1'), taskOf('t2'), taskOf('t3')])
    await store.claimTasks(claimOf({ limit: 2 }))
    await store.cancelTask('t2', at(2))
    const lease = { owner: 'o1', until: at(40) }
    const renewed = await store.renewTasks(lease, ['t1', 't2', 't3', 't4'])
    expectSame(renewed, { held: ['t1', 't2'], cancelRequested: ['t2'] }, 'what is held')
    expectSame((await store.findTask('t1'))?.lease, lease, 'the lease')
    const foreign = await store.renewTasks({ owner: 'o2', until: at(99) }, ['t1'])
    expectSame(foreign, { held: [], cancelRequested: [] }, 'what another owner holds')
    expectSame((await store.findTask('t1'))?.lease, lease, 'the lease after another owner tried')
    expectSame(await store.renewTasks(lease, []), { held: [], cancelRequested: [] }, 'nothing')
  }),
  storeCase('A7: a lease is renewed while its task is to be cancelled', async (store) => {
    await runTask(store, taskOf('t1'))
    const lease = { owner: 'o1', until: at(40) }
    await Promise.all([store.cancelTask('t1', at(2)), store.renewTasks(lease, ['t1'])])
    const task = await store.findTask('t1')
    expectSame([task?.cancelRequested, task?.lease], [true, lease], 'the task')
  }),
  storeCase('A7: only the owner says which run a task works on', async (store) => {
    await runTask(store, taskOf('t1'))
    expectSame(await store.setTaskRun('t1', 'o2', 'r2'), false, 'what another owner says')
    expectSame(await store.setTaskRun('t1', 'o1', 'r1'), true, 'what the owner says')
    expectSame(await store.setTaskRun('t9', 'o1', 'r1'), false, 'what is said of no task')
    expectSame((await store.findTask('t1'))?.runId, 'r1', 'the run')
    await store.settleTask(settlementOf('t1', outcomes.completed))
    expectSame(await store.setTaskRun('t1', 'o1', 'r2'), false, 'what is said of one that has ended')
    expectSame((await store.findTask('t1'))?.runId, 'r1', 'the run of one that has ended')
  }),
  storeCase('A7: an attempt ends once, in every way there is', async (store) => {
    const base = { attempt: 1, runCount: 0, parked: false, runAt: at(0) }
    const expected = {
      completed: { ...base, status: 'completed', finishedAt: at(5) },
      failed: { ...base, status: 'failed', finishedAt: at(5), failure: 'run_error' },
      retry: { ...base, status: 'queued', runCount: 1, runAt: at(60) },
      parked: { ...base, status: 'running', parked: true },
      released: { ...base, status: 'queued', attempt: 0 },
    }
    for (const [kind, outcome] of Object.entries(outcomes)) {
      await runTask(store, taskOf(kind))
      const settlements = await race(() =>
        store.settleTask(settlementOf(kind, outcome, { toEvent: taskEventOf('task.completed') })),
      )
      expectSame(settlements.filter(Boolean).length, 1, `how often ${kind} is written`)
      const task = await store.findTask(kind)
      expectSame(settlements.find(Boolean), task, `what is given back for ${kind}`)
      expectSame(stateOf(task), expected[kind as keyof typeof expected], `the task that is ${kind}`)
      // Out of the way of the next one.
      await store.cancelTask(kind, at(6))
    }
    expectSame((await store.findTask('completed'))?.result, resultOf('r1'), 'the result')
    const kinds = Object.keys(outcomes).map((kind) => `task.completed "${kind}"`)
    expectSame(await typesOf(store), kinds, 'the journal')
  }),
  storeCase('A7: nobody but the owner ends an attempt, and a parked task anybody', async (store) => {
    await runTask(store, taskOf('t1'))
    const before = await store.findTask('t1')
    for (const owner of ['o2', undefined]) {
      const settlement = settlementOf('t1', outcomes.completed, { owner, toEvent: ended })
      expectSame(await store.settleTask(settlement), undefined, 'what a stranger ends')
    }
    expectSame(
      await store.settleTask(settlementOf('t9', outcomes.completed)),
      undefined,
      'the end of no task',
    )
    expectSame([await store.findTask('t1'), await typesOf(store)], [before, []], 'the task')
    await store.settleTask(settlementOf('t1', outcomes.parked))
    expectSame(
      await store.settleTask(settlementOf('t1', outcomes.completed)),
      undefined,
      'what its owner ends now',
    )
    const parked = settlementOf('t1', outcomes.completed, { owner: undefined })
    const all = await race(() => store.settleTask(parked))
    expectSame(all.filter(Boolean).length, 1, 'how often a parked task ends')
  }),
  storeCase('A7: what failed is tried again with another run, when its time has come', async (store) => {
    await runTask(store, taskOf('t1'))
    await store.settleTask(settlementOf('t1', outcomes.retry))
    expectSame(await claimAll(store, { now: at(59) }), [], 'what can be taken before')
    const [again] = await store.claimTasks(claimOf({ now: at(60) }))
    expectSame([again?.attempt, again?.runCount, again?.startedAt], [2, 1, at(1)], 'the second attempt')
  }),
  storeCase('A7: what failed without an end of its run is tried again with that run', async (store) => {
    await runTask(store, taskOf('t1'))
    await store.setTaskRun('t1', 'o1', 'r1')
    await store.settleTask(settlementOf('t1', { ...outcomes.retry, keepsRun: true }))
    expectSame(await claimAll(store, { now: at(59) }), [], 'what can be taken before')
    const [again] = await store.claimTasks(claimOf({ now: at(60) }))
    expectSame([again?.attempt, again?.runCount, again?.runId], [2, 0, 'r1'], 'the second attempt')
  }),
  storeCase(
    'A7: a lease that expires puts the task back for another attempt at the same run',
    async (store) => {
      await runTask(store, taskOf('t1'))
      await store.setTaskRun('t1', 'o1', 'r1')
      expectSame(
        await store.reclaimTasks({ now: at(20), limit: 9, toEvent: ended }),
        [],
        'what is taken back before',
      )
      const reclaims = await race(() =>
        store.reclaimTasks({ now: at(21), limit: 9, toEvent: () => undefined }),
      )
      expectSame(idsOf(reclaims.flat()), ['t1'], 'what is taken back')
      expectSame(reclaims.flat()[0], await store.findTask('t1'), 'what is given back')
      const [again] = await store.claimTasks(claimOf({ owner: 'o2', now: at(22) }))
      expectSame([again?.attempt, again?.runCount, again?.runId], [2, 0, 'r1'], 'the second attempt')
      expectSame(
        await store.settleTask(settlementOf('t1', outcomes.completed)),
        undefined,
        'what the first owner ends',
      )
      expectSame(await typesOf(store), [], 'the journal')
    },
  ),
  storeCase(
    'A7: a lease that expires ends the task when all attempts were begun, or it was cancelled',
    async (store) => {
      await addTasks(store, [taskOf('t1', { maxAttempts: 1 }), taskOf('t2'), taskOf('t3')])
      await store.claimTasks(claimOf({ limit: 3 }))
      await store.cancelTask('t2', at(2))
      expectSame(
        (await store.reclaimTasks({ now: at(30), limit: 2, toEvent: ended })).length,
        2,
        'how many at most',
      )
      await store.reclaimTasks({
        now: at(30),
        limit: 2,
        toEvent: ({ status, ...task }) => (status === 'failed' ? ended({ status, ...task }) : undefined),
      })
      const [first, second, third] = await Promise.all(['t1', 't2', 't3'].map((id) => store.findTask(id)))
      expectSame(
        [first?.status, first?.failure?.code, first?.finishedAt],
        ['failed', 'max_attempts', at(30)],
        'the first',
      )
      expectSame([second?.status, second?.failure?.code], ['failed', 'cancelled'], 'the second')
      expectSame([third?.status, third?.attempt, third?.lease], ['queued', 1, undefined], 'the third')
      expectSame(await claimAll(store, { now: at(31) }), ['t3'], 'what can be taken')
    },
  ),
  storeCase(
    'A7: cancels what waits at once, asks the owner of what runs, and leaves what has ended',
    async (store) => {
      await addTasks(store, [taskOf('parked'), taskOf('running'), taskOf('queued')])
      await store.claimTasks(claimOf({ limit: 2 }))
      await store.settleTask(settlementOf('parked', outcomes.parked))
      const outcomeOf = async (id: string) => (await store.cancelTask(id, at(7), ended)).outcome
      const race8 = await race(() => outcomeOf('queued'))
      expectSame(race8.toSorted(), ['cancelled', ...Array.from({ length: 7 }, () => 'ended')], 'what waits')
      expectSame(await outcomeOf('parked'), 'cancelled', 'what waits for a person')
      expectSame(await outcomeOf('running'), 'requested', 'what runs')
      expectSame(await outcomeOf('unknown'), 'unknown', 'what is not there')
      expectSame(await typesOf(store), ['task.failed "queued"', 'task.failed "parked"'], 'the journal')
      for (const id of ['queued', 'parked']) {
        const task = await store.findTask(id)
        expectSame(
          [task?.status, task?.failure?.code, task?.finishedAt, task?.parked],
          ['failed', 'cancelled', at(7), false],
          id,
        )
      }
      const running = await store.findTask('running')
      expectSame([running?.status, running?.cancelRequested], ['running', true], 'what runs')
      expectSame(await claimAll(store), [], 'what can be taken')
    },
  ),
  storeCase('A7: an attempt that would go on later ends when it was to be cancelled', async (store) => {
    for (const kind of ['retry', 'released', 'parked'] as const) {
      await runTask(store, taskOf(kind))
      await store.cancelTask(kind, at(2))
      await store.settleTask(settlementOf(kind, outcomes[kind]))
      const task = await store.findTask(kind)
      expectSame(
        [task?.status, task?.failure?.code],
        ['failed', 'cancelled'],
        `a cancelled task that is ${kind}`,
      )
    }
    await runTask(store, taskOf('done'))
    await store.cancelTask('done', at(2))
    await store.settleTask(settlementOf('done', outcomes.completed))
    expectSame((await store.findTask('done'))?.status, 'completed', 'one that was faster')
  }),
  storeCase('A7: a failed task begins anew when it is retried, others do not', async (store) => {
    await runTask(store, taskOf('t1'))
    await store.cancelTask('t1', at(2))
    await store.settleTask(settlementOf('t1', outcomes.failed))
    const retries = await race(() => store.retryTask('t1', at(6), taskEventOf('task.created')))
    expectSame(retries.filter(Boolean).length, 1, 'how often it begins anew')
    expectSame(await typesOf(store), ['task.created "t1"'], 'the journal')
    const task = await store.findTask('t1')
    expectSame(retries.find(Boolean), task, 'what is given back')
    expectSame(
      [stateOf(task), task?.cancelRequested, task?.startedAt, task?.result],
      [
        { status: 'queued', attempt: 0, runCount: 1, parked: false, runAt: at(6) },
        false,
        undefined,
        undefined,
      ],
      'the task',
    )
    expectSame(await store.retryTask('t9', at(7)), undefined, 'one that is not there')
    expectSame(await claimAll(store, { now: at(7) }), ['t1'], 'what can be taken')
    expectSame(await store.retryTask('t1', at(7)), undefined, 'one that runs')
  }),
]
