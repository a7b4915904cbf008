import type { StoredTask } from '../../store/ports/task-store.ts'
import type { StoreHarness } from '../conformance-case.ts'
import {
  type ConformanceCase,
  race,
  expectAborts,
  expectCode,
  expectSame,
  expectTrue,
} from '@homeward/kit/testing'
import { storeCase } from '../conformance-case.ts'
import { at, idsOf, readAll } from '../conformance-fixtures.ts'
import { taskChangeConformance } from './task-change-conformance.ts'
import { taskClaimConformance } from './task-claim-conformance.ts'
import { taskRunConformance } from './task-run-conformance.ts'
import { taskSerialConformance } from './task-serial-conformance.ts'
import type { JournaledTasks } from './task-fixtures.ts'
import {
  addTasks,
  claimOf,
  endRun,
  outcomes,
  runTask,
  scheduledOf,
  settlementOf,
  startRun,
  taskEventOf,
  taskOf,
} from './task-fixtures.ts'

const keepCases: readonly ConformanceCase<StoreHarness<JournaledTasks>>[] = [
  storeCase('A7: keeps a task as queued and gives it back as it was', async (store) => {
    const task = taskOf('t1', {
      conversationId: 'c1',
      userId: 'u1',
      limits: { max_turns: 3 },
      budget: { max_tokens: 9 },
      priority: -7,
      metadata: { list: [1] },
      idempotencyKey: 'k1',
      runAt: at(60),
    })
    const { task: kept, created } = await store.insertTask(task, [
      { type: 'task.created', timestamp: at(0), data: { task_id: 't1' } },
    ])
    const expected: StoredTask = {
      ...structuredClone(task),
      status: 'queued',
      attempt: 0,
      runCount: 0,
      cancelRequested: false,
      parked: false,
      updatedAt: at(0),
    }
    expectSame([kept, created], [expected, true], 'the new task')
    task.metadata!['list'] = [2]
    const found = await store.findTask('t1')
    expectSame(found, expected, 'the task')
    found!.metadata!['list'] = [3]
    expectSame(await store.findTask('t1'), expected, 'the task after a reader changed his copy')
    expectSame(await store.findTask('t2'), undefined, 'a task that is not there')
    expectSame((await store.listEvents({ limit: 9 })).length, 1, 'how many events there are')
  }),
  storeCase(
    'A7: gives the same task for a key, however many callers race, also when it has ended',
    async (store) => {
      const add = (index: number) =>
        store.insertTask(taskOf(`t${index}`, { idempotencyKey: 'k' }), [
          { type: 'task.created', timestamp: at(0), data: {} },
        ])
      const added = await race(add)
      expectSame(new Set(added.map(({ task }) => task.id)).size, 1, 'how many tasks there are')
      expectSame(added.filter(({ created }) => created).length, 1, 'how many were created')
      expectSame((await store.listEvents({ limit: 99 })).length, 1, 'how many events there are')
      const [task] = await store.claimTasks(claimOf({ limit: 9 }))
      await store.settleTask(settlementOf(task!.id, outcomes.completed))
      const again = await add(99)
      expectSame(
        [again.created, again.task.id, again.task.status],
        [false, task?.id, 'completed'],
        'the task',
      )
      expectSame(
        (await store.insertTask(taskOf('other', { idempotencyKey: 'k2' }), [])).created,
        true,
        'another key',
      )
    },
  ),
  storeCase('refuses the id of another task', async (store) => {
    await store.insertTask(taskOf('t1'), [])
    await expectCode(() => store.insertTask(taskOf('t1'), []), 'conflict', 'a second task of an id')
  }),
  storeCase('A7: lists tasks, newest first, by agent, graph and status, page by page', async (store) => {
    const graph = { kind: 'graph', id: 'a1' } as const
    await addTasks(store, [
      taskOf('t1'),
      taskOf('t2', { subject: graph }),
      taskOf('t3', { subject: { kind: 'agent', id: 'a2' } }),
      taskOf('t4'),
      taskOf('t5', { runAt: at(60) }),
    ])
    await store.claimTasks(claimOf({ limit: 3 }))
    await store.settleTask(settlementOf('t1', outcomes.completed))
    const list = async (filter: Parameters<typeof store.listTasks>[0]) =>
      idsOf((await store.listTasks(filter, { limit: 99 })).rows)
    expectSame(await list({}), ['t5', 't4', 't3', 't2', 't1'], 'all')
    expectSame(await list({ agentId: 'a1' }), ['t5', 't4', 't1'], 'those of an agent')
    expectSame(await list({ graphId: 'a1' }), ['t2'], 'those of a graph')
    expectSame(await list({ agentId: 'a1', graphId: 'a1' }), [], 'those of an agent that are of a graph')
    expectSame(await list({ agentId: 'a3' }), [], 'those of another agent')
    expectSame(await list({ status: 'queued' }), ['t5', 't4'], 'those that wait')
    expectSame(await list({ status: 'running' }), ['t3', 't2'], 'those that run')
    expectSame(
      await list({ status: 'completed', agentId: 'a1' }),
      ['t1'],
      'those of an agent that have completed',
    )
    expectSame(await list({ status: 'failed' }), [], 'those that failed')
    const paged = await readAll((cursor) => store.listTasks({ agentId: 'a1' }, { limit: 2, cursor }))
    expectSame(idsOf(paged), ['t5', 't4', 't1'], 'those of an agent, page by page')
    const full = await store.listTasks({ agentId: 'a1' }, { limit: 3 })
    expectSame(full.nextCursor, undefined, 'what is behind the last page')
    await expectCode(
      () => store.listTasks({}, { limit: 1, cursor: '?' }),
      'validation_error',
      'a foreign cursor',
    )
  }),
  storeCase('A26: lists tasks of a user, and of some agents and graphs', async (store) => {
    await addTasks(store, [
      taskOf('t1', { userId: 'u1' }),
      taskOf('t2', { userId: 'u2' }),
      taskOf('t3', { userId: 'u1', subject: { kind: 'graph', id: 'a1' } }),
      taskOf('t4', { subject: { kind: 'agent', id: 'a2' } }),
    ])
    const list = async (filter: Parameters<typeof store.listTasks>[0]) =>
      idsOf((await store.listTasks(filter, { limit: 99 })).rows)
    expectSame(await list({ userId: 'u1' }), ['t3', 't1'], 'those of a user')
    expectSame(await list({ userId: 'u3' }), [], 'those of another user')
    expectSame(await list({ within: { agentIds: ['a1'], graphIds: [] } }), ['t2', 't1'], 'those of an agent')
    expectSame(
      await list({ within: { agentIds: ['a2'], graphIds: ['a1'] } }),
      ['t4', 't3'],
      'those of a graph, too',
    )
    expectSame(await list({ within: { agentIds: [], graphIds: [] } }), [], 'those of none')
  }),
  storeCase('A7: finds parked tasks whose run has ended', async (store) => {
    for (const id of ['r1', 'r2']) await startRun(store, id)
    for (const [id, runId] of [
      ['t1', 'r1'],
      ['t2', 'r2'],
    ] as const) {
      await runTask(store, taskOf(id))
      await store.setTaskRun(id, 'o1', runId)
      await store.settleTask(settlementOf(id, outcomes.parked))
    }
    expectSame(await store.listSettleableTasks(9), [], 'those whose run goes on')
    await endRun(store, 'r2')
    expectSame(idsOf(await store.listSettleableTasks(9)), ['t2'], 'those whose run has ended')
    await endRun(store, 'r1')
    expectSame((await store.listSettleableTasks(1)).length, 1, 'how many there are at most')
    await store.settleTask(settlementOf('t2', outcomes.completed, { owner: undefined }))
    expectSame(idsOf(await store.listSettleableTasks(9)), ['t1'], 'those that are left')
  }),
  storeCase('A7: tells when there is something to look for again', async (store) => {
    expectSame(await store.nextTaskTime(), undefined, 'the next time of an empty queue')
    await addTasks(store, [taskOf('t1'), taskOf('t2', { runAt: at(60) }), taskOf('t3', { runAt: at(50) })])
    expectSame(await store.nextTaskTime(), at(50), 'when the next becomes due')
    await store.claimTasks(claimOf())
    expectSame(await store.nextTaskTime(), at(21), 'when a lease runs out')
    await store.settleTask(settlementOf('t1', outcomes.completed))
    expectSame(await store.nextTaskTime(), at(50), 'when the next becomes due, once that has ended')
  }),
  storeCase('A7: tells those who wait that a task can be taken, or has changed', async (store) => {
    let told = 0
    const end = store.subscribe(({ topic }) => {
      if (topic === 'task') told += 1
    })
    const expectTold = async (what: string, call: () => Promise<unknown>) => {
      told = 0
      await call()
      expectTrue(told > 0, `that ${what} is told`)
    }
    await expectTold('a new task', () => store.insertTask(taskOf('t1'), []))
    await store.claimTasks(claimOf())
    await expectTold('a request to cancel', () => store.cancelTask('t1', at(2)))
    await expectTold('the end of an attempt', () => store.settleTask(settlementOf('t1', outcomes.failed)))
    await expectTold('a retry', () => store.retryTask('t1', at(6)))
    await store.claimTasks(claimOf({ now: at(7) }))
    await expectTold('what was taken back', () => store.reclaimTasks({ now: at(99), limit: 9 }))
    end()
  }),
  storeCase('verbs on tasks give up when their signal has aborted', async (store) => {
    await runTask(store, taskOf('t1'))
    await addTasks(store, [taskOf('t2'), taskOf('t3')])
    await store.cancelTask('t3', at(1))
    const before = await store.listTasks({}, { limit: 9 })
    await expectAborts({
      insertTask: (signal) => store.insertTask(taskOf('t9'), [], signal),
      claimTasks: (signal) => store.claimTasks(claimOf(), signal),
      renewTasks: (signal) => store.renewTasks({ owner: 'o1', until: at(99) }, ['t1'], signal),
      setTaskRun: (signal) => store.setTaskRun('t1', 'o1', 'r9', signal),
      settleTask: (signal) => store.settleTask(settlementOf('t1', outcomes.completed), signal),
      reclaimTasks: (signal) => store.reclaimTasks({ now: at(999), limit: 9 }, signal),
      cancelTask: (signal) => store.cancelTask('t2', at(2), undefined, signal),
      retryTask: (signal) => store.retryTask('t3', at(2), undefined, signal),
      findTask: (signal) => store.findTask('t1', signal),
      listTasks: (signal) => store.listTasks({}, { limit: 1 }, signal),
      listSettleableTasks: (signal) => store.listSettleableTasks(9, signal),
      nextTaskTime: (signal) => store.nextTaskTime(signal),
    })
    expectSame(await store.listTasks({}, { limit: 9 }), before, 'the tasks')
  }),
  storeCase('A7: the queue goes on when the storage is opened again', async (store, { reopen }) => {
    await addTasks(store, [taskOf('t1'), scheduledOf('t2', 'queue'), taskOf('t3', { runAt: at(60) })])
    await store.claimTasks(claimOf({ toEvent: taskEventOf('task.started') }))
    const before = await store.listTasks({}, { limit: 9 })
    if (reopen === undefined) return
    const again = await reopen()
    expectSame(await again.listTasks({}, { limit: 9 }), before, 'the tasks')
    expectSame((await again.renewTasks({ owner: 'o1', until: at(99) }, ['t1'])).held, ['t1'], 'the lease')
    const later = claimOf({ now: at(60), limit: 9 })
    expectSame(idsOf(await again.claimTasks(later)).toSorted(), ['t2', 't3'], 'those that are due')
  }),
]

/**
 * Conformance cases for a `TaskStore`, for any test runner.
 *
 * @example
 * for (const { name, run } of taskStoreConformance) it(name, () => run({ create: async () => ({ store: createMyStore() }) }))
 */
export const taskStoreConformance: readonly ConformanceCase<StoreHarness<JournaledTasks>>[] = [
  ...keepCases,
  ...taskClaimConformance,
  ...taskChangeConformance,
  ...taskRunConformance,
  ...taskSerialConformance,
]
