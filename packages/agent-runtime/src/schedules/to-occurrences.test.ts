import { expect, it } from 'vitest'
import { at, definitionOf, ms } from './testing/book-kit.ts'
import { toOccurrences } from './to-occurrences.ts'

const now = ms('09:10:00.000')
function contextOf(lateMs = 60_000) {
  let ids = 0
  return { now, lateMs, createId: () => `t${(ids += 1)}` }
}
const none = { missed: [], fires: [] }
const head = { subject: { kind: 'agent', id: 'a' }, schedule: '0 9 * * * [Europe/Berlin]' }
const definition = definitionOf('a', { schedule: ' 0 9 * * * ', timezone: 'Europe/Berlin', overlap: 'skip' })
const eventOf = (type: string, time: string, particulars: object) => ({
  type,
  timestamp: at('09:10:00.000'),
  data: {
    agent_id: 'a',
    schedule_id: 'agent:a',
    schedule: ' 0 9 * * * ',
    timezone: 'Europe/Berlin',
    scheduled_for: at(time),
    ...particulars,
  },
})

it('A9: a time makes a task, is told of, and says what is noted where it is skipped', () => {
  const time = '09:10:00.000'
  const scheduled = { schedule: ' 0 9 * * * ', for: at(time) }
  const task = {
    id: 't1',
    subject: head.subject,
    input: 'Go',
    priority: 0,
    maxAttempts: 3,
    idempotencyKey: `schedule:agent a:${at(time)}`,
    scheduleId: 'agent:a',
    scheduled: { ...scheduled, overlap: 'skip' },
    createdAt: at(time),
    runAt: at(time),
  }
  const created = {
    task_id: 't1',
    agent_id: 'a',
    schedule_id: 'agent:a',
    schedule: scheduled.schedule,
    scheduled_for: at(time),
  }
  expect(toOccurrences(definition, { ...none, fires: [ms(time)] }, contextOf())).toStrictEqual([
    {
      ...head,
      scheduledFor: at(time),
      task,
      overlap: 'skip',
      journal: [
        eventOf('schedule.fired', time, { task_id: 't1' }),
        { type: 'task.created', timestamp: at(time), data: created },
      ],
      onSkip: [eventOf('schedule.missed', time, { reason: 'overlap' })],
    },
  ])
})

it('A9: what was missed is noted in the order of time, before what is carried out', () => {
  const older = { first: ms('08:00:00.000'), last: ms('08:30:00.000'), count: 7, isMore: false }
  const due = { older, missed: ['08:40:00.000', '08:50:00.000'].map(ms), fires: [ms('09:00:00.000')] }
  const found = toOccurrences(definition, due, contextOf())
  const first = at('08:00:00.000')
  const noted = (time: string, particulars: object) => ({
    ...head,
    scheduledFor: at(time),
    journal: [eventOf('schedule.missed', time, { reason: 'not_running', ...particulars })],
    onSkip: [],
  })
  expect(found.slice(0, 3)).toStrictEqual([
    noted('08:30:00.000', { first, count: 7 }),
    noted('08:40:00.000', {}),
    noted('08:50:00.000', {}),
  ])
  expect(found[3]).toMatchObject({ scheduledFor: at('09:00:00.000'), task: { id: 't1' } })
  expect(found).toHaveLength(4)
  const [more] = toOccurrences(definition, { ...none, older: { ...older, isMore: true } }, contextOf())
  expect(more).toStrictEqual(noted('08:30:00.000', { first, count: 7, more: true }))
})

it('A9: `all` waits its turn where it was missed, whatever overlaps; what is in time is as it is set', () => {
  const all = { ...definition, catchUp: 'all' } as const
  const times = ['09:08:59.999', '09:09:00.000', '09:09:00.001'].map(ms)
  const overlaps = (given: typeof definition) =>
    toOccurrences(given, { ...none, fires: times }, contextOf()).map(({ overlap, task, onSkip }) => [
      overlap,
      task?.scheduled?.overlap,
      onSkip.length,
    ])
  const [queue, skip] = [
    ['queue', 'queue', 0],
    ['skip', 'skip', 1],
  ]
  expect(overlaps(all)).toEqual([queue, queue, skip])
  expect(overlaps({ ...definition, catchUp: 'latest' })).toEqual([skip, skip, skip])
  expect(overlaps({ ...definition, overlap: 'queue' })).toEqual([queue, queue, queue])
})

it('tells of a graph by its id', () => {
  const subject = { kind: 'graph', id: 'g' } as const
  const graph = { ...definition, subject, runs: subject }
  const due = { missed: [ms('08:50:00.000')], fires: [ms('09:00:00.000')] }
  const events = toOccurrences(graph, due, contextOf()).flatMap(({ journal }) => journal)
  expect(events.map(({ data }) => [data['graph_id'], data['agent_id']])).toEqual(
    Array.from({ length: 3 }, () => ['g', undefined]),
  )
})
