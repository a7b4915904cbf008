import type { Journal } from '../../store/ports/journal.ts'
import type { ScheduleStore } from '../../store/ports/schedule-store.ts'
import type { TaskStore, TaskSubject } from '../../store/ports/task-store.ts'
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
import { at, oddText } from '../conformance-fixtures.ts'
import { ownScheduleCases, type OwnScheduleStore } from './own-schedule-conformance.ts'
import { agent, cursorOf, fireOf, graph, missedOf, schedule } from './schedule-fixtures.ts'

/** Store methods that the cases need, because schedules create tasks and events. */
export type ScheduleConformanceStore = OwnScheduleStore &
  Pick<TaskStore, 'listTasks' | 'cancelTask'> &
  Pick<Journal, 'listEvents'>

async function taskIdsOf(store: ScheduleConformanceStore): Promise<string[]> {
  const { rows } = await store.listTasks({}, { limit: 100 })
  return rows.map(({ id }) => id).toSorted()
}

async function eventTypesOf(store: ScheduleConformanceStore): Promise<string[]> {
  return (await store.listEvents({ since: 0, limit: 100 })).map(({ type }) => type)
}

async function throughOf(store: ScheduleStore, subject: TaskSubject): Promise<string | undefined> {
  const cursors = await store.listScheduleCursors()
  return cursors.find((row) => row.subject.kind === subject.kind && row.subject.id === subject.id)?.through
}

const cursorCases: readonly ConformanceCase<StoreHarness<ScheduleConformanceStore>>[] = [
  storeCase('A9: keeps a cursor for each subject, by kind and id', async (store) => {
    expectSame(await store.listScheduleCursors(), [], 'the cursors at first')
    expectSame(await store.startSchedule(cursorOf(agent, 0)), cursorOf(agent, 0), 'the new cursor')
    await store.startSchedule(cursorOf(graph, 5))
    const cursors = [cursorOf(agent, 0), cursorOf(graph, 5)]
    expectSame(await store.listScheduleCursors(), cursors, 'the cursors')
    await store.stopSchedule(graph)
    await store.stopSchedule({ kind: 'agent', id: 'unknown' })
    expectSame(await store.listScheduleCursors(), [cursorOf(agent, 0)], 'the cursors without the graph')
  }),
  storeCase('A9: a cursor stays where it is, unless the schedule is another one', async (store) => {
    await store.startSchedule(cursorOf(agent, 10))
    expectSame(
      await store.startSchedule(cursorOf(agent, 99)),
      cursorOf(agent, 10),
      'the cursor that was there',
    )
    const other = cursorOf(agent, 50, { schedule: '0 9 * * * [UTC]' })
    expectSame(await store.startSchedule(other), other, 'the cursor of another schedule')
    expectSame(await store.listScheduleCursors(), [other], 'the cursors')
  }),
  storeCase('A9: of starts that race, one sets the cursor and all get it', async (store) => {
    const given = await race((index) => store.startSchedule(cursorOf(agent, index)))
    const through = await throughOf(store, agent)
    for (const cursor of given) expectSame(cursor.through, through, 'the cursor that each start gives')
  }),
  storeCase('A9: a cursor does not change with the object it was given or gave', async (store) => {
    const given = { subject: { ...agent }, schedule, through: at(1) }
    const kept = await store.startSchedule(given)
    given.through = at(2)
    given.subject.id = 'other'
    Object.assign(kept, { through: at(3) })
    expectSame(await store.listScheduleCursors(), [cursorOf(agent, 1)], 'the cursors')
  }),
  storeCase('verbs on schedules give up when their signal has aborted', async (store) => {
    await store.startSchedule(cursorOf(agent, 0))
    await expectAborts({
      listScheduleCursors: (signal) => store.listScheduleCursors(signal),
      startSchedule: (signal) => store.startSchedule(cursorOf(graph, 0), signal),
      stopSchedule: (signal) => store.stopSchedule(agent, signal),
      recordOccurrences: (signal) => store.recordOccurrences([fireOf(agent, 1)], signal),
    })
    expectSame(await store.listScheduleCursors(), [cursorOf(agent, 0)], 'the cursors afterwards')
    expectSame(await taskIdsOf(store), [], 'the tasks afterwards')
  }),
]

const fireCases: readonly ConformanceCase<StoreHarness<ScheduleConformanceStore>>[] = [
  storeCase('A9: a fire makes its task and its events, and moves the cursor', async (store) => {
    await store.startSchedule(cursorOf(agent, 0))
    const topics: string[] = []
    const stop = store.subscribe(({ topic }) => topics.push(topic))
    expectSame(await store.recordOccurrences([fireOf(agent, 10)]), ['fired'], 'the outcome')
    stop()
    const { rows } = await store.listTasks({}, { limit: 10 })
    const { task } = fireOf(agent, 10)
    expectSame(rows.length, 1, 'how many tasks there are')
    expectSame({ ...rows[0], ...task }, rows[0], 'the task')
    expectSame(rows[0]?.status, 'queued', 'its status')
    const [event] = await store.listEvents({ limit: 10 })
    expectSame(event?.data, { ...agent, second: 10, odd: oddText }, 'the event')
    const cursor = cursorOf(agent, 10, { lastOccurrence: at(10) })
    expectSame(await store.listScheduleCursors(), [cursor], 'the cursor')
    expectTrue(topics.includes('task') && topics.includes('journal'), 'that those who wait are told')
  }),
  storeCase('A9: a time fires once, however many processes race', async (store) => {
    await store.startSchedule(cursorOf(agent, 0))
    const outcomes = await race(() => store.recordOccurrences([fireOf(agent, 10)]))
    expectSame(outcomes.flat().filter((outcome) => outcome === 'fired').length, 1, 'how often it fired')
    expectSame(outcomes.flat().filter((outcome) => outcome === 'done').length, 7, 'how often it was done')
    expectSame(await taskIdsOf(store), ['agent-s1-10'], 'the tasks')
    expectSame(await eventTypesOf(store), ['schedule.fired'], 'the events')
  }),
  storeCase('A9: nothing fires at or behind the cursor', async (store) => {
    await store.startSchedule(cursorOf(agent, 10))
    const outcomes = await store.recordOccurrences([fireOf(agent, 5), fireOf(agent, 10), missedOf(agent, 9)])
    expectSame(outcomes, ['done', 'done', 'done'], 'the outcomes')
    expectSame(await eventTypesOf(store), [], 'the events')
    expectSame(await throughOf(store, agent), at(10), 'the cursor')
  }),
  storeCase('A9: carries out many fires of many subjects in their order', async (store) => {
    await store.startSchedule(cursorOf(agent, 0))
    await store.startSchedule(cursorOf(graph, 0))
    const fires = [
      missedOf(agent, 1),
      fireOf(graph, 3),
      fireOf(agent, 2),
      fireOf(agent, 4),
      fireOf(agent, 3),
      missedOf(graph, 5),
    ]
    const outcomes = await store.recordOccurrences(fires)
    expectSame(outcomes, ['noted', 'fired', 'fired', 'fired', 'done', 'noted'], 'the outcomes')
    expectSame(await taskIdsOf(store), ['agent-s1-2', 'agent-s1-4', 'graph-s1-3'], 'the tasks')
    const cursors = [
      cursorOf(agent, 4, { lastOccurrence: at(4) }),
      cursorOf(graph, 5, { lastOccurrence: at(3) }),
    ]
    expectSame(await store.listScheduleCursors(), cursors, 'the cursors')
    const [fired, missed] = ['schedule.fired', 'schedule.missed']
    expectSame(await eventTypesOf(store), [missed, fired, fired, fired, missed], 'the events')
    expectSame(await store.recordOccurrences([]), [], 'the outcomes of no fires')
  }),
  storeCase('A9: a schedule that has changed or is gone does not fire', async (store) => {
    expectSame(await store.recordOccurrences([fireOf(agent, 1)]), ['stale'], 'without a cursor')
    await store.startSchedule(cursorOf(agent, 0, { schedule: 'another' }))
    const outcomes = await store.recordOccurrences([fireOf(agent, 1), missedOf(agent, 2)])
    expectSame(outcomes, ['stale', 'stale'], 'with the cursor of another schedule')
    expectSame(await throughOf(store, agent), at(0), 'the cursor')
    expectSame(await taskIdsOf(store), [], 'the tasks')
    expectSame(await eventTypesOf(store), [], 'the events')
  }),
  storeCase('A9: a task that was made before is not made again', async (store) => {
    await store.startSchedule(cursorOf(agent, 0))
    await store.recordOccurrences([fireOf(agent, 10)])
    await store.stopSchedule(agent)
    // The clock was put back: its times come once more.
    await store.startSchedule(cursorOf(agent, 5))
    const { task, ...again } = fireOf(agent, 10)
    const other = { ...again, ...(task && { task: { ...task, id: 'another' } }) }
    expectSame(await store.recordOccurrences([other]), ['done'], 'the outcome')
    expectSame(await taskIdsOf(store), ['agent-s1-10'], 'the tasks')
    expectSame(await eventTypesOf(store), ['schedule.fired'], 'the events')
    expectSame(await throughOf(store, agent), at(10), 'the cursor')
  }),
]

const overlapCases: readonly ConformanceCase<StoreHarness<ScheduleConformanceStore>>[] = [
  storeCase('A9: with `skip` a fire is left out while an earlier one has not ended', async (store) => {
    await store.startSchedule(cursorOf(agent, 0))
    await store.startSchedule(cursorOf(graph, 0))
    const skip = { overlap: 'skip' } as const
    const fires = [fireOf(agent, 1, skip), fireOf(agent, 2, skip), fireOf(graph, 2, skip)]
    expectSame(await store.recordOccurrences(fires), ['fired', 'skipped', 'fired'], 'the outcomes')
    expectSame(await taskIdsOf(store), ['agent-s1-1', 'graph-s1-2'], 'the tasks')
    expectSame(
      await eventTypesOf(store),
      ['schedule.fired', 'schedule.missed', 'schedule.fired'],
      'the events',
    )
    expectSame(await throughOf(store, agent), at(2), 'the cursor')
    await store.cancelTask('agent-s1-1', at(3))
    expectSame(await store.recordOccurrences([fireOf(agent, 4, skip)]), ['fired'], 'a fire behind its end')
  }),
  storeCase('A9: fires are carried out together, or none of them', async (store) => {
    await store.startSchedule(cursorOf(agent, 0))
    await store.startSchedule(cursorOf(graph, 0))
    await store.recordOccurrences([fireOf(agent, 1)])
    const { task } = fireOf(graph, 1)
    const taken = task && { ...task, id: 'agent-s1-1' }
    const fires = [fireOf(agent, 2), fireOf(graph, 1, taken && { task: taken }), fireOf(graph, 2)]
    await expectCode(() => store.recordOccurrences(fires), 'conflict', 'a task whose id is taken')
    expectSame(await taskIdsOf(store), ['agent-s1-1'], 'the tasks')
    expectSame((await store.listEvents({ type: 'schedule.fired', limit: 9 })).length, 1, 'the events')
    const cursors = [cursorOf(agent, 1, { lastOccurrence: at(1) }), cursorOf(graph, 0)]
    expectSame(await store.listScheduleCursors(), cursors, 'the cursors')
    expectSame(await store.recordOccurrences([fireOf(agent, 2)]), ['fired'], 'the first of them, alone')
  }),
  storeCase('A9: with `queue` fires wait for each other', async (store) => {
    await store.startSchedule(cursorOf(agent, 0))
    const outcomes = await store.recordOccurrences([fireOf(agent, 1), fireOf(agent, 2)])
    expectSame(outcomes, ['fired', 'fired'], 'the outcomes')
    expectSame(await taskIdsOf(store), ['agent-s1-1', 'agent-s1-2'], 'the tasks')
  }),
  storeCase('cursors are still there when the storage is opened again', async (store, { reopen }) => {
    await store.startSchedule(cursorOf(agent, 0))
    await store.recordOccurrences([fireOf(agent, 7)])
    if (reopen === undefined) return
    const again = await reopen()
    const cursor = cursorOf(agent, 7, { lastOccurrence: at(7) })
    expectSame(await again.listScheduleCursors(), [cursor], 'the cursors')
    expectSame(await again.recordOccurrences([fireOf(agent, 7)]), ['done'], 'a fire from before')
  }),
]

/**
 * Conformance cases for a `ScheduleStore`, for any test runner.
 *
 * @example
 * for (const { name, run } of scheduleStoreConformance) it(name, () => run({ create: async () => ({ store: createMyStore() }) }))
 */
export const scheduleStoreConformance: readonly ConformanceCase<StoreHarness<ScheduleConformanceStore>>[] = [
  ...cursorCases,
  ...fireCases,
  ...overlapCases,
  ...ownScheduleCases,
]
