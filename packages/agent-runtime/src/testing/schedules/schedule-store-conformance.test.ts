import { describe, expect, it } from 'vitest'
import { createTestStore } from '../create-test-store.ts'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import type { OccurrenceOutcome } from '../../store/ports/schedule-store.ts'
import { firstFailureOf, pause } from '../first-failure-of.ts'
import { scheduleStoreConformance } from './schedule-store-conformance.ts'

type Break = (store: RuntimeStore) => RuntimeStore

/** The first case that a store does not pass. */
const firstFailure = (breakStore: Break) =>
  firstFailureOf(scheduleStoreConformance, () => breakStore(createTestStore()))

describe('the SQLite store', () => {
  for (const { name, run } of scheduleStoreConformance) {
    it(name, () =>
      run({
        async create() {
          const store = createTestStore()
          return { store, dispose: () => store.close() }
        },
      }),
    )
  }
})

it('every case has a name of its own', () => {
  const names = scheduleStoreConformance.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})

const answers: Record<string, unknown> = { undefined, 'an empty list': [], 'a list': ['fired'] }
const verbs = {
  insertSchedule: 3,
  replaceSchedule: 2,
  deleteSchedule: 2,
  deleteSchedulesOf: 1,
  findSchedule: 1,
  listSchedules: 0,
  listScheduleCursors: 0,
  startSchedule: 1,
  stopSchedule: 1,
  recordOccurrences: 1,
} as const

describe.each(Object.keys(verbs) as (keyof typeof verbs)[])('a store whose %s', (verb) => {
  it.each(Object.keys(answers))('is emptied out and answers %s fails the kit', async (answer) => {
    const empty: Break = (store) => ({ ...store, [verb]: async () => answers[answer] })
    expect(await firstFailure(empty)).toBeDefined()
  })

  it('ignores signals fails the kit', async () => {
    const deaf: Break = (store) => {
      const call = store[verb] as (...args: unknown[]) => Promise<unknown>
      return { ...store, [verb]: (...args: unknown[]) => call(...args.slice(0, verbs[verb])) }
    }
    expect(await firstFailure(deaf)).toBeDefined()
  })
})

const brokenStores: Record<string, Break> = {
  'carries out one fire after the other': (store) => ({
    ...store,
    async recordOccurrences(fires, signal) {
      const outcomes: OccurrenceOutcome[] = []
      for (const fire of fires) outcomes.push(...(await store.recordOccurrences([fire], signal)))
      return outcomes
    },
  }),
  'looks at the cursor before it fires': (store) => ({
    ...store,
    async recordOccurrences(fires, signal) {
      const cursors = await store.listScheduleCursors(signal)
      await pause()
      for (const fire of fires) {
        const through = cursors.find(({ subject }) => subject.kind === fire.subject.kind)?.through ?? ''
        if (fire.task === undefined || fire.scheduledFor <= through) continue
        const { task } = fire
        await store.insertTask(
          { ...task, id: `${task.id}${Math.random()}`, idempotencyKey: `${Math.random()}` },
          [],
        )
      }
      return store.recordOccurrences(fires)
    },
  }),
  'moves a cursor that is there': (store) => ({
    ...store,
    async startSchedule(cursor, signal) {
      signal?.throwIfAborted()
      await store.stopSchedule(cursor.subject)
      return store.startSchedule(cursor, signal)
    },
  }),
  'takes a graph for an agent': (store) => ({
    ...store,
    startSchedule: (cursor, signal) =>
      store.startSchedule({ ...cursor, subject: { kind: 'agent', id: cursor.subject.id } }, signal),
  }),
  'fires whatever the schedule is': (store) => ({
    ...store,
    async recordOccurrences(fires, signal) {
      const cursors = await store.listScheduleCursors()
      const [{ schedule } = { schedule: '' }] = cursors
      return store.recordOccurrences(
        fires.map((fire) => ({ ...fire, schedule })),
        signal,
      )
    },
  }),
  'knows no overlap': (store) => ({
    ...store,
    recordOccurrences: (fires, signal) =>
      store.recordOccurrences(
        fires.map((fire) => (fire.overlap === undefined ? fire : { ...fire, overlap: 'queue' })),
        signal,
      ),
  }),
  'takes every overlap for one to skip': (store) => ({
    ...store,
    recordOccurrences: (fires, signal) =>
      store.recordOccurrences(
        fires.map((fire) => (fire.task === undefined ? fire : { ...fire, overlap: 'skip' })),
        signal,
      ),
  }),
  'writes no events': (store) => ({
    ...store,
    recordOccurrences: (fires, signal) =>
      store.recordOccurrences(
        fires.map((fire) => ({ ...fire, journal: [], onSkip: [] })),
        signal,
      ),
  }),
  'forgets that a task was made': (store) => ({
    ...store,
    recordOccurrences: (fires, signal) =>
      store.recordOccurrences(
        fires.map(({ task, ...fire }) => {
          const { idempotencyKey: _, ...rest } = task ?? {}
          return task === undefined
            ? fire
            : { ...fire, task: { ...task, ...rest, idempotencyKey: crypto.randomUUID() } }
        }),
        signal,
      ),
  }),
  'writes last what was missed': (store) => ({
    ...store,
    async recordOccurrences(fires, signal) {
      const missed = fires.filter(({ task }) => task === undefined).flatMap(({ journal }) => journal)
      const silent = fires.map((fire) => (fire.task === undefined ? { ...fire, journal: [] } : fire))
      const outcomes = await store.recordOccurrences(silent, signal)
      if (outcomes.includes('noted')) await store.appendEvents(missed)
      return outcomes
    },
  }),
  'carries out the first fire only': (store) => ({
    ...store,
    recordOccurrences: (fires, signal) => store.recordOccurrences(fires.slice(0, 1), signal),
  }),
  'keeps more schedules than permitted': (store) => ({
    ...store,
    insertSchedule: (schedule, _, audit, signal) => store.insertSchedule(schedule, 1e6, audit, signal),
  }),
  'keeps the schedules of a deleted agent': (store) => ({
    ...store,
    async deleteAgent(id, audit, signal) {
      const owns = await store.listSchedules()
      const isDeleted = await store.deleteAgent(id, audit, signal)
      for (const own of owns) await store.insertSchedule(own, 1e6)
      return isDeleted
    },
  }),
  'counts the tasks of every schedule': (store) => ({
    ...store,
    recordOccurrences: (fires, signal) =>
      store.recordOccurrences(
        fires.map(({ task, ...fire }) => ({ ...fire, ...(task && { task: { ...task, scheduleId: 'x' } }) })),
        signal,
      ),
  }),
  'tells nobody': (store) => ({ ...store, subscribe: () => () => {} }),
}

it.each(Object.keys(brokenStores))('a store that %s fails the kit', async (name) => {
  expect(await firstFailure(brokenStores[name] ?? ((store) => store))).toBeDefined()
})
