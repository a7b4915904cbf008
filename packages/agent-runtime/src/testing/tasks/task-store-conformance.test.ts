import { describe, expect, it } from 'vitest'
import { createTestStore } from '../create-test-store.ts'
import type { StoredTask } from '../../store/ports/task-store.ts'
import type { JournaledTasks } from './task-fixtures.ts'
import { firstFailureOf, pause } from '../first-failure-of.ts'
import { taskStoreConformance } from './task-store-conformance.ts'

type Break = (store: JournaledTasks) => JournaledTasks

describe('tasks on SQLite', () => {
  for (const { name, run } of taskStoreConformance) {
    it(name, () => run({ create: async () => ({ store: createTestStore() }) }))
  }
})

/** The first case that a store does not pass. */
const firstFailure = (breakStore: Break) =>
  firstFailureOf(taskStoreConformance, () => breakStore(createTestStore()))

const answers: Record<string, unknown> = {
  undefined,
  true: true,
  false: false,
  'an empty list': [],
  'an empty page': { rows: [] },
  unknown: { outcome: 'unknown' },
}
const verbs = [
  'insertTask',
  'claimTasks',
  'renewTasks',
  'setTaskRun',
  'settleTask',
  'reclaimTasks',
  'cancelTask',
  'retryTask',
  'findTask',
  'listTasks',
  'listSettleableTasks',
  'nextTaskTime',
] as const

it('a store that is whole passes the kit', async () => {
  expect(await firstFailure((store) => store)).toBeUndefined()
})

describe.each(verbs)('a store whose %s is emptied out', (verb) => {
  it.each(Object.keys(answers))('fails the kit when it answers %s', async (answer) => {
    expect(await firstFailure((store) => ({ ...store, [verb]: async () => answers[answer] }))).toBeDefined()
  })
})

const broken: Record<string, Break> = {
  'lets the run of a failed task go on': (store) => ({
    ...store,
    settleTask({ outcome, ...settlement }, signal) {
      if (outcome.kind !== 'failed') return store.settleTask({ outcome, ...settlement }, signal)
      const { stopsRun: _, ...rest } = outcome
      return store.settleTask({ outcome: rest, ...settlement }, signal)
    },
  }),
  'makes a task of every key': (store) => ({
    ...store,
    insertTask: (task, journal, signal) => {
      const { idempotencyKey: _key, ...rest } = task
      return store.insertTask(rest, journal, signal)
    },
  }),
  'takes tasks before their time': (store) => ({
    ...store,
    claimTasks: (claim, signal) => store.claimTasks({ ...claim, now: '2100' }, signal),
  }),
  'knows no limit of a subject': (store) => ({
    ...store,
    claimTasks: (claim, signal) => store.claimTasks({ ...claim, perSubject: 1000 }, signal),
  }),
  'takes more than was asked for': (store) => ({
    ...store,
    claimTasks: (claim, signal) => store.claimTasks({ ...claim, limit: claim.limit + 1 }, signal),
  }),
  'takes what nobody named': (store) => ({
    ...store,
    claimTasks: ({ ticketsFor: _tickets, ...claim }, signal) => store.claimTasks(claim, signal),
  }),
  'takes all of the subjects that are named': (store) => ({
    ...store,
    async claimTasks({ ticketsFor, ...claim }, signal) {
      const named = ticketsFor?.flatMap((id) => [id, 't1', 't2', 't3', 't4', 'urgent'])
      return store.claimTasks({ ...claim, ...(named && { ticketsFor: named }) }, signal)
    },
  }),
  'says nothing about what is taken': (store) => ({
    ...store,
    claimTasks: ({ toEvent: _event, ...claim }, signal) => store.claimTasks(claim, signal),
  }),
  'forgets the turns of subjects': (store) => {
    // One queue for all: the oldest first.
    const subjects = new Map<string, StoredTask['subject']>()
    const restore = (task: StoredTask) => ({ ...task, subject: subjects.get(task.id) ?? task.subject })
    return {
      ...store,
      insertTask: (task, journal, signal) => {
        subjects.set(task.id, task.subject)
        return store.insertTask({ ...task, subject: { kind: 'agent', id: 'a1' } }, journal, signal)
      },
      claimTasks: async (claim, signal) => (await store.claimTasks(claim, signal)).map(restore),
    }
  },
  'lets scheduled tasks run beside each other': (store) => ({
    ...store,
    insertTask: (task, journal, signal) => {
      const { scheduled } = task
      const always = scheduled && { scheduled: { ...scheduled, overlap: 'skip' as const } }
      return store.insertTask({ ...task, ...always }, journal, signal)
    },
  }),
  'lets anybody end an attempt': (store) => ({
    ...store,
    settleTask: async (settlement, signal) => {
      const owner = (await store.findTask(settlement.id, signal))?.lease?.owner
      return store.settleTask({ ...settlement, owner }, signal)
    },
  }),
  'looks at an attempt before it ends it': (store) => ({
    ...store,
    settleTask: async (settlement, signal) => {
      signal?.throwIfAborted()
      const before = await store.findTask(settlement.id)
      await pause()
      const settled = await store.settleTask(settlement)
      return settled ?? (before?.status === 'running' ? before : undefined)
    },
  }),
  'counts attempts that were given back': (store) => ({
    ...store,
    settleTask: async (settlement, signal) => {
      const settled = await store.settleTask(settlement, signal)
      return settled && settlement.outcome.kind === 'released' ? { ...settled, attempt: 1 } : settled
    },
  }),
  'takes back what its owner still has': (store) => ({
    ...store,
    reclaimTasks: (reclaim, signal) => store.reclaimTasks({ ...reclaim, now: '2100' }, signal),
  }),
  'takes back more than was asked for': (store) => ({
    ...store,
    reclaimTasks: (reclaim, signal) => store.reclaimTasks({ ...reclaim, limit: 99 }, signal),
  }),
  'renews what was lost': (store) => ({
    ...store,
    renewTasks: async (lease, ids, signal) => ({
      ...(await store.renewTasks(lease, ids, signal)),
      held: ids,
    }),
  }),
  'never tells of a cancellation': (store) => ({
    ...store,
    renewTasks: async (lease, ids, signal) => ({
      ...(await store.renewTasks(lease, ids, signal)),
      cancelRequested: [],
    }),
  }),
  'starts every page at the beginning': (store) => ({
    ...store,
    listTasks: (filter, { limit }, signal) => store.listTasks(filter, { limit }, signal),
  }),
  'lists tasks of graphs with those of agents': (store) => ({
    ...store,
    listTasks: ({ graphId: _graph, ...filter }, page, signal) => store.listTasks(filter, page, signal),
  }),
  'knows no serial keys': (store) => ({
    ...store,
    insertTask: (task, journal, signal) => {
      const { serialKey: _key, ...rest } = task
      return store.insertTask(rest, journal, signal)
    },
  }),
  'looks for others of a serial key before it keeps a task': (store) => {
    const keys = new Map<string, string>()
    return {
      ...store,
      insertTask: async (task, journal, signal) => {
        const { id, serialKey: key } = task
        if (key === undefined) return store.insertTask(task, journal, signal)
        const { rows } = await store.listTasks({}, { limit: 99 })
        await pause()
        const isOpen = rows.some((other) => other.serialKey === keys.get(key) && !other.finishedAt)
        if (!isOpen) keys.set(key, `${key} ${id}`)
        return store.insertTask({ ...task, serialKey: keys.get(key) ?? key }, journal)
      },
    }
  },
  'writes the lease back that it saw before a cancellation': (store) => ({
    ...store,
    cancelTask: async (id, now, toEvent, signal) => {
      const lease = (await store.findTask(id, signal))?.lease
      await pause()
      const cancellation = await store.cancelTask(id, now, toEvent)
      if (lease !== undefined) await store.renewTasks(lease, [id])
      return cancellation
    },
  }),
  'tells nobody': (store) => ({ ...store, subscribe: () => () => {} }),
}

it.each(Object.entries(broken))('a store that %s fails the kit', async (_, breakStore) => {
  expect(await firstFailure(breakStore)).toBeDefined()
})
