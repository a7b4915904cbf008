import type { TaskClaim } from '../../store/ports/task-store.ts'
import type { StoreHarness } from '../conformance-case.ts'
import { type ConformanceCase, race, expectSame, expectTrue } from '@homeward/kit/testing'
import { storeCase } from '../conformance-case.ts'
import { at, idsOf } from '../conformance-fixtures.ts'
import type { JournaledTasks } from './task-fixtures.ts'
import {
  addTasks,
  claimAll,
  claimOf,
  outcomes,
  scheduledOf,
  settlementOf,
  taskEventOf,
  taskOf,
} from './task-fixtures.ts'

const agent = (id: string) => ({ kind: 'agent', id }) as const

/** What a `TaskStore` promises about taking tasks. */
export const taskClaimConformance: readonly ConformanceCase<StoreHarness<JournaledTasks>>[] = [
  storeCase('A7: a worker takes a task as running, with a lease, and the journal says so', async (store) => {
    const { task } = await store.insertTask(taskOf('t1'), [])
    const [taken] = await store.claimTasks(claimOf({ toEvent: taskEventOf('task.started') }))
    const running = {
      ...task,
      status: 'running',
      attempt: 1,
      lease: { owner: 'o1', until: at(21) },
      updatedAt: at(1),
      startedAt: at(1),
    }
    expectSame(taken, running, 'the task that was taken')
    expectSame(await store.findTask('t1'), running, 'the task')
    const [event] = await store.listEvents({ limit: 9 })
    expectSame([event?.type, event?.data], ['task.started', { task_id: 't1', attempt: 1 }], 'the event')
    expectSame(await store.claimTasks(claimOf({ limit: 9 })), [], 'what is left')
  }),
  storeCase('A7: each task is taken once, however many workers race', async (store) => {
    const ids = Array.from({ length: 20 }, (_, index) => `t${index}`)
    await addTasks(
      store,
      ids.map((id, index) => taskOf(id, { subject: agent(`a${index % 3}`) })),
    )
    const taken = await race((index) => store.claimTasks(claimOf({ owner: `o${index}`, limit: 4 })))
    expectSame(taken.flatMap(idsOf).toSorted(), ids.toSorted(), 'the tasks that were taken')
    expectTrue(
      taken.every((tasks) => tasks.length <= 4),
      'that nobody takes more than he asked for',
    )
  }),
  storeCase('A7: within a subject the larger priority goes first, then the older task', async (store) => {
    await addTasks(store, [
      taskOf('low', { priority: -1 }),
      taskOf('first'),
      taskOf('second'),
      taskOf('high', { priority: 5 }),
    ])
    expectSame(await claimAll(store), ['high', 'first', 'second', 'low'], 'the order')
  }),
  storeCase('A7: subjects are served in turn, so that one with many tasks holds up nobody', async (store) => {
    const many = Array.from({ length: 6 }, (_, index) => taskOf(`many${index}`, { priority: 9 }))
    await addTasks(store, many)
    expectSame(await claimAll(store, { perSubject: 1 }), ['many0'], 'the first')
    const graph = { kind: 'graph', id: 'a1' } as const
    await addTasks(store, [
      taskOf('b0', { subject: agent('b') }),
      taskOf('b1', { subject: agent('b') }),
      taskOf('g0', { subject: graph }),
    ])
    expectSame(
      await claimAll(store),
      ['b0', 'g0', 'many1', 'b1', 'many2', 'many3', 'many4', 'many5'],
      'the order',
    )
    // Whoever comes back later has had its turn: it does not go before one that waits longer.
    await addTasks(store, [taskOf('b2', { subject: agent('b') }), taskOf('g1', { subject: graph })])
    expectSame(await claimAll(store), ['g1', 'b2'], 'the order of those that came back')
  }),
  storeCase('within a subject users take turns, so that one with many tasks delays nobody', async (store) => {
    const loud = Array.from({ length: 20 }, (_, index) => taskOf(`loud${index}`, { userId: 'ann' }))
    await addTasks(store, [...loud.slice(0, 10), taskOf('nobody')])
    const claim = async () => idsOf(await store.claimTasks(claimOf({ limit: 1, perSubject: 99 })))
    expectSame([await claim(), await claim()], [['loud0'], ['nobody']], 'a task without a user')
    await addTasks(store, loud.slice(10))
    await addTasks(store, [taskOf('b0', { userId: 'bob' }), taskOf('b1', { userId: 'bob' })])
    await addTasks(store, [taskOf('c0', { userId: 'carl' }), taskOf('high', { userId: 'ann', priority: 1 })])
    const order: string[] = []
    for (let count = 0; count < 8; count += 1) order.push(...(await claim()))
    expectSame(order, ['high', 'loud1', 'b0', 'c0', 'loud2', 'b1', 'loud3', 'loud4'], 'the order')
    for (let count = 0; count < 15; count += 1) order.push(...(await claim()))
    expectSame(order.length, 23, 'the tasks that were taken')
    expectSame(order.slice(-2), ['loud18', 'loud19'], 'the last ones')
  }),
  storeCase('A7: one claim serves many subjects in turn', async (store) => {
    for (const subject of ['a', 'b', 'c']) {
      const ids = Array.from({ length: subject === 'b' ? 1 : 9 }, (_, index) => `${subject}${index}`)
      await addTasks(
        store,
        ids.map((id) => taskOf(id, { subject: agent(subject) })),
      )
    }
    const first = idsOf(await store.claimTasks(claimOf({ limit: 6 })))
    expectSame(first.toSorted(), ['a0', 'a1', 'a2', 'b0', 'c0', 'c1'], 'what the first claim takes')
    const second = idsOf(await store.claimTasks(claimOf({ limit: 3 })))
    expectSame(second.toSorted(), ['a3', 'c2', 'c3'], 'what the second claim takes')
  }),
  storeCase('A7: no more tasks of a subject run than allowed, in all processes together', async (store) => {
    await addTasks(
      store,
      [1, 2, 3, 4].map((index) => taskOf(`t${index}`)),
    )
    const claims = await race((index) =>
      store.claimTasks(claimOf({ owner: `o${index}`, perSubject: 2, limit: 3 })),
    )
    expectSame(claims.flatMap(idsOf).toSorted(), ['t1', 't2'], 'what was taken')
    const [task] = claims.flat()
    const owner = task?.lease?.owner
    await store.settleTask(settlementOf(task?.id ?? '', outcomes.completed, { owner }))
    expectSame(await claimAll(store, { perSubject: 2 }), ['t3'], 'what takes its place')
    await store.settleTask(settlementOf('t3', outcomes.parked))
    expectSame(await claimAll(store, { perSubject: 2 }), ['t4'], 'what takes the place of a parked one')
  }),
  storeCase('A7: a ticket takes the task it names, and leaves other subjects alone', async (store) => {
    await addTasks(store, [
      taskOf('a', { priority: 9 }),
      taskOf('b', { subject: agent('b') }),
      taskOf('c', { subject: agent('c') }),
      taskOf('later', { subject: agent('d'), runAt: at(60) }),
    ])
    const take = async (ids: readonly string[], changes: Partial<TaskClaim> = {}) =>
      idsOf(await store.claimTasks(claimOf({ limit: 9, ticketsFor: ids, ...changes }))).toSorted()
    expectSame(await take(['c', 'a'], { limit: 1, perSubject: 0 }), [], 'what has no room')
    expectSame(await take(['c', 'b']), ['b', 'c'], 'what was named')
    expectSame(await take(['c', 'b', 'unknown', 'later']), [], 'what can be taken of it again')
    expectSame(await take(['later'], { now: at(60) }), ['later'], 'what was named when it is due')
    expectSame(await claimAll(store), ['a'], 'what nobody named')
  }),
  storeCase('A7: tickets take as many tasks of a subject as they name, in its order', async (store) => {
    const ids = ['t1', 't2', 't3', 't4']
    await addTasks(
      store,
      ids.map((id) => taskOf(id)),
    )
    await addTasks(store, [taskOf('urgent', { priority: 5 })])
    const take = async (named: readonly string[], perSubject = 9) =>
      idsOf(await store.claimTasks(claimOf({ limit: 9, ticketsFor: named, perSubject }))).toSorted()
    expectSame(await take(['t3', 't4']), ['t1', 'urgent'], 'the first two')
    expectSame(await take(['urgent', 't2'], 3), ['t2'], 'what the limit of the subject leaves')
    expectSame(await take(['t1']), ['t3'], 'what goes for a task that went for another')
  }),
  storeCase('A7: a task is not taken before its time', async (store) => {
    await addTasks(store, [taskOf('later', { runAt: at(60), priority: 9 }), taskOf('now')])
    expectSame(await claimAll(store), ['now'], 'what is due')
    expectSame(await claimAll(store, { now: at(59) }), [], 'what is due shortly before')
    expectSame(await claimAll(store, { now: at(60) }), ['later'], 'what is due then')
  }),
  storeCase('A9: a scheduled task with overlap "queue" waits for another one that runs', async (store) => {
    await addTasks(store, [
      scheduledOf('s1', 'queue'),
      scheduledOf('s2', 'queue'),
      scheduledOf('other', 'queue', { subject: agent('a2') }),
      taskOf('plain'),
    ])
    expectSame(await claimAll(store), ['s1', 'other', 'plain'], 'what can run at a time')
    await store.settleTask(settlementOf('plain', outcomes.completed))
    expectSame(await claimAll(store), [], 'what can run beside it')
    await store.settleTask(settlementOf('s1', outcomes.parked))
    expectSame(await claimAll(store), [], 'what can run while it waits for a person')
    await store.settleTask(settlementOf('s1', outcomes.completed, { owner: undefined }))
    expectSame(await claimAll(store), ['s2'], 'what runs then')
  }),
  storeCase(
    'A9: a scheduled task with overlap "queue" also waits in the order of its lane',
    async (store) => {
      await addTasks(store, [
        scheduledOf('s1', 'skip', { priority: 5 }),
        scheduledOf('s2', 'queue', { priority: 4 }),
        taskOf('plain'),
      ])
      expectSame(
        idsOf(await store.claimTasks(claimOf({ limit: 9 }))).toSorted(),
        ['plain', 's1'],
        'what is taken',
      )
      await store.settleTask(settlementOf('s1', outcomes.completed))
      expectSame(await claimAll(store), ['s2'], 'what is taken then')
    },
  ),
]
