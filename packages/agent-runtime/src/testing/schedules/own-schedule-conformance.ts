import type { AgentStore } from '../../store/ports/agent-store.ts'
import type { GraphStore } from '../../store/ports/graph-store.ts'
import type { ScheduleStore, StoredSchedule } from '../../store/ports/schedule-store.ts'
import type { StoreSignals } from '../../store/ports/store-signal.ts'
import type { TaskStore, TaskSubject } from '../../store/ports/task-store.ts'
import type { StoreHarness } from '../conformance-case.ts'
import { type ConformanceCase, race, expectAborts, expectSame, expectTrue } from '@homeward/kit/testing'
import { storeCase } from '../conformance-case.ts'
import { agentOf, at, graphRunOf, idsOf, oddText } from '../conformance-fixtures.ts'
import { agent, cursorOf, fireOf, graph } from './schedule-fixtures.ts'

/** What the cases need of a store: schedules run agents and graphs, and make tasks. */
export type OwnScheduleStore = ScheduleStore &
  StoreSignals &
  Pick<TaskStore, 'insertTask' | 'listTasks'> &
  Pick<AgentStore, 'insertAgent' | 'deleteAgent'> &
  Pick<GraphStore, 'insertGraph' | 'deleteGraph'>

/** A schedule with every field, created at second 0. */
const scheduleOf = (id: string, changes: Partial<StoredSchedule> = {}): StoredSchedule => ({
  id,
  runs: agent,
  name: oddText,
  cron: '0 9 * * *',
  input: oddText,
  timezone: 'Europe/Berlin',
  catchUp: 'latest',
  overlap: 'skip',
  enabled: true,
  reportTo: [{ channel: 'telegram', conversation_id: oddText }],
  requestHash: 'h',
  created_at: at(0),
  updated_at: at(0),
  ...changes,
})

const many = 1000

const keepingCases: readonly ConformanceCase<StoreHarness<OwnScheduleStore>>[] = [
  storeCase('A9: gives a schedule back as it was, oldest first', async (store, { reopen }) => {
    expectSame(await store.insertSchedule(scheduleOf('s2'), many), true, 'the insertion')
    await store.insertSchedule(scheduleOf('s3', { created_at: at(1) }), many)
    await store.insertSchedule(scheduleOf('s1'), many)
    expectSame(await store.findSchedule('s2'), scheduleOf('s2'), 'the schedule')
    expectSame(await store.findSchedule('S2'), undefined, 'one of another spelling')
    const again = (await reopen?.()) ?? store
    expectSame(idsOf(await again.listSchedules()), ['s1', 's2', 's3'], 'the list')
  }),
  storeCase('A9: an id of a schedule is given once, however many insertions race', async (store) => {
    const outcomes = await race((index) =>
      store.insertSchedule(scheduleOf('s1', { name: `n${index}` }), many),
    )
    expectSame(outcomes.filter(Boolean).length, 1, 'how many insertions succeeded')
    expectSame(outcomes.filter((each) => each === undefined).length, 7, 'how many found the id taken')
    const winner = outcomes.indexOf(true)
    expectSame((await store.findSchedule('s1'))?.name, `n${winner}`, 'what is stored')
  }),
  storeCase(
    'A9: there are never more schedules than permitted, however many insertions race',
    async (store) => {
      const outcomes = await race((index) => store.insertSchedule(scheduleOf(`s${index}`), 3))
      expectSame(outcomes.filter(Boolean).length, 3, 'how many insertions succeeded')
      expectSame((await store.listSchedules()).length, 3, 'how many there are')
      const [{ id } = { id: '' }] = await store.listSchedules()
      expectSame(await store.insertSchedule(scheduleOf(id), 3), undefined, 'one that is there')
    },
  ),
  storeCase('A9: replaces and deletes a schedule that is there, and tells of it', async (store) => {
    const topics: string[] = []
    const stop = store.subscribe(({ topic }) => topics.push(topic))
    expectSame(await store.replaceSchedule(scheduleOf('s1')), false, 'replacing none')
    expectSame(await store.deleteSchedule('s1'), false, 'deleting none')
    expectSame(topics.length, 0, 'how often somebody was told of nothing')
    await store.insertSchedule(scheduleOf('s1'), many)
    const changed = scheduleOf('s1', { cron: '@daily', updated_at: at(2) })
    expectSame(await store.replaceSchedule(changed), true, 'replacing one')
    expectSame(await store.listSchedules(), [changed], 'the list')
    expectSame(await store.deleteSchedule('s1'), true, 'deleting one')
    expectSame(await store.listSchedules(), [], 'the list afterwards')
    stop()
    expectTrue(topics.filter((topic) => topic === 'definition').length >= 3, 'that those who wait are told')
  }),
  storeCase('verbs on schedules of their own give up when their signal has aborted', async (store) => {
    await store.insertSchedule(scheduleOf('s1'), many)
    await expectAborts({
      insertSchedule: (signal) => store.insertSchedule(scheduleOf('s2'), many, undefined, signal),
      replaceSchedule: (signal) => store.replaceSchedule(scheduleOf('s1', { name: 'n' }), undefined, signal),
      deleteSchedule: (signal) => store.deleteSchedule('s1', undefined, signal),
      deleteSchedulesOf: (signal) => store.deleteSchedulesOf(agent, signal),
      findSchedule: (signal) => store.findSchedule('s1', signal),
      listSchedules: (signal) => store.listSchedules(signal),
    })
    expectSame(await store.listSchedules(), [scheduleOf('s1')], 'the list afterwards')
  }),
]

const workCases: readonly ConformanceCase<StoreHarness<OwnScheduleStore>>[] = [
  storeCase(
    'A9: schedules are deleted with the agent or graph that they run, and no others',
    async (store) => {
      const runs: Record<string, TaskSubject> = { s1: agent, s2: graph, s3: { kind: 'agent', id: 'other' } }
      for (const [id, subject] of Object.entries(runs)) {
        await store.insertSchedule(scheduleOf(id, { runs: subject }), many)
      }
      await store.insertAgent(agentOf(agent.id))
      await store.insertGraph({ ...graphRunOf('r').graph, id: graph.id })
      expectSame(await store.deleteAgent('unknown'), false, 'deleting an unknown agent')
      await store.deleteAgent(agent.id)
      expectSame(idsOf(await store.listSchedules()), ['s2', 's3'], 'the list without the agent')
      await store.deleteGraph(graph.id)
      expectSame(idsOf(await store.listSchedules()), ['s3'], 'the list without the graph')
      await store.deleteSchedulesOf({ kind: 'graph', id: 'other' })
      expectSame(idsOf(await store.listSchedules()), ['s3'], 'the list without those of another kind')
      await store.deleteSchedulesOf({ kind: 'agent', id: 'other' })
      expectSame(await store.listSchedules(), [], 'the list at the end')
    },
  ),
  storeCase('A9: with `skip` only tasks of the same schedule count', async (store) => {
    const [one, other] = [ownFire('one', 1), ownFire('other', 2)]
    for (const { subject } of [one, other]) await store.startSchedule(cursorOf(subject, 0))
    expectSame(await store.recordOccurrences([one, other]), ['fired', 'fired'], 'the outcomes')
    expectSame(await store.recordOccurrences([ownFire('one', 3)]), ['skipped'], 'the next time of the first')
  }),
  storeCase('A9: lists the tasks of one schedule, newest first, by pages', async (store) => {
    for (const id of ['one', 'other']) await store.startSchedule(cursorOf({ kind: 'schedule', id }, 0))
    const fires = [ownFire('one', 1), ownFire('other', 2), ownFire('one', 3)]
    await store.recordOccurrences(fires.map((fire) => ({ ...fire, overlap: 'queue' as const })))
    const { task } = ownFire('one', 4)
    const { scheduled: _, ...manual } = task ?? { scheduled: undefined }
    if (task) await store.insertTask({ ...task, ...manual }, [])
    const first = await store.listTasks({ scheduleId: 'one' }, { limit: 2 })
    expectSame(idsOf(first.rows), ['schedule-one-4', 'schedule-one-3'], 'the first page')
    const { nextCursor = '' } = first
    const last = await store.listTasks({ scheduleId: 'one' }, { limit: 2, cursor: nextCursor })
    expectSame(idsOf(last.rows), ['schedule-one-1'], 'the last page')
    expectSame(last.nextCursor, undefined, 'the end')
  }),
]

/** A time of a schedule of its own, which runs the agent and skips. */
function ownFire(id: string, second: number) {
  const { task, ...fire } = fireOf({ kind: 'schedule', id }, second)
  return {
    ...fire,
    overlap: 'skip' as const,
    ...(task && { task: { ...task, subject: agent, scheduleId: id } }),
  }
}

/** What a `ScheduleStore` promises of schedules that are not fields of an agent or a graph. */
export const ownScheduleCases: readonly ConformanceCase<StoreHarness<OwnScheduleStore>>[] = [
  ...keepingCases,
  ...workCases,
]
