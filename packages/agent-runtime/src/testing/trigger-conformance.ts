import { type ConformanceCase, expectAborts, expectSame } from '@homeward/kit/testing'
import type { NewJournalEvent } from '../store/ports/journal.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import type { NewTriggerCall, StoredTrigger } from '../store/ports/trigger-store.ts'
import { type StoreHarness, storeCase } from './conformance-case.ts'
import { at, oddText } from './conformance-fixtures.ts'
import { taskOf } from './tasks/task-fixtures.ts'

/** A trigger for agent `a1`. */
const triggerOf = (id: string, changes: Partial<StoredTrigger> = {}): StoredTrigger => ({
  id,
  name: oddText,
  target: { kind: 'agent', id: 'a1' },
  verify: 'github',
  secrets: [{ secret: oddText }, { secret: 'old', until: at(9) }],
  perMinute: 60,
  enabled: true,
  createdAt: at(0),
  updatedAt: at(0),
  ...changes,
})

const created = (taskId: string): readonly NewJournalEvent[] => [
  { type: 'task.created', timestamp: at(1), data: { task_id: taskId } },
]

/** A call of trigger `t1` at second 1 with a task of the same id. */
const triggerCallOf = (id: string, changes: Partial<NewTriggerCall> = {}): NewTriggerCall => ({
  id,
  triggerId: 't1',
  at: at(1),
  outcome: 'started',
  task: taskOf(id, { triggerId: 't1' }),
  journal: created(id),
  keptSince: at(0),
  limit: { since: at(-60), calls: 9 },
  ...changes,
})

const countEvents = async (store: RuntimeStore) =>
  (await store.listEvents({ types: ['task.created'], limit: 99 })).length

/** Promises of `TriggerStore`. */
export const triggerStoreConformance: readonly ConformanceCase<StoreHarness<RuntimeStore>>[] = [
  storeCase('keeps triggers as they are, newest first, and no more than allowed', async (store) => {
    const newer = triggerOf('t2', { createdAt: at(2), input: '{{body}}', filter: { required: ['a'] } })
    expectSame(await store.insertTrigger(triggerOf('t1'), 2), true, 'the first')
    expectSame(await store.insertTrigger(newer, 2), true, 'the second')
    expectSame(await store.insertTrigger(triggerOf('t3'), 2), false, 'one too many')
    expectSame(await store.listTriggers(), [newer, triggerOf('t1')], 'the triggers')
    const change = (before: StoredTrigger) => ({ ...before, enabled: false })
    const changed = triggerOf('t1', { enabled: false })
    expectSame(await store.changeTrigger('t1', change), changed, 'a change')
    expectSame(await store.findTrigger('t1'), changed, 'the changed one')
    expectSame(await store.changeTrigger('t9', change), undefined, 'a change of none')
    expectSame(await store.deleteTrigger('t2'), true, 'a deletion')
    expectSame(await store.deleteTrigger('t2'), false, 'a second deletion')
    expectSame(await store.findTrigger('t2'), undefined, 'the deleted one')
  }),
  storeCase('loses no change of a trigger when several come at once', async (store) => {
    await store.insertTrigger(triggerOf('t1', { perMinute: 0 }), 9)
    const more = (before: StoredTrigger) => ({ ...before, perMinute: before.perMinute + 1 })
    await Promise.all(Array.from({ length: 6 }, () => store.changeTrigger('t1', more)))
    expectSame((await store.findTrigger('t1'))?.perMinute, 6, 'what all of them made')
  }),
  storeCase('stores one task for calls with one key, however many come at once', async (store) => {
    await store.insertTrigger(triggerOf('t1'), 9)
    await store.insertTrigger(triggerOf('t2'), 9)
    const ids = ['c1', 'c2', 'c3', 'c4']
    const race = await Promise.all(ids.map((id) => store.acceptTriggerCall(triggerCallOf(id, { key: 'k' }))))
    expectSame(
      race.map(({ outcome }) => outcome).toSorted(),
      ['duplicate', 'duplicate', 'duplicate', 'started'],
      'the outcomes',
    )
    const task = race.find(({ outcome }) => outcome === 'started')?.task
    expectSame(new Set(race.map(({ taskId }) => taskId)), new Set([task?.id]), 'their tasks')
    const { rows } = await store.listTasks({}, { limit: 9 })
    expectSame(
      rows.map(({ id }) => id),
      [task?.id],
      'the tasks',
    )
    expectSame(await countEvents(store), 1, 'the events')
    expectSame(
      (await store.acceptTriggerCall(triggerCallOf('c5'))).outcome,
      'started',
      'a call without a key',
    )
    const other = triggerCallOf('c6', { triggerId: 't2', key: 'k' })
    expectSame((await store.acceptTriggerCall(other)).outcome, 'started', 'the key at another trigger')
  }),
  storeCase('stores one signal for calls with one key, however many come at once', async (store) => {
    await store.insertTrigger(triggerOf('t1'), 9)
    const callOf = (id: string): NewTriggerCall => {
      const { task: _, ...call } = triggerCallOf(id, { key: 'k', outcome: 'signalled', journal: [] })
      return { ...call, signal: { id, event: 'paid', data: { id }, createdAt: at(1), knownSince: at(0) } }
    }
    const ids = ['c1', 'c2', 'c3']
    const race = await Promise.all(ids.map((id) => store.acceptTriggerCall(callOf(id))))
    const outcomes = race.map(({ outcome }) => outcome).toSorted()
    expectSame(outcomes, ['duplicate', 'duplicate', 'signalled'], 'the outcomes')
    const signals = await store.listUndelivered(9)
    const stored = ids[race.findIndex(({ outcome }) => outcome === 'signalled')] ?? ''
    expectSame(
      signals,
      [{ id: stored, event: 'paid', data: { id: stored }, createdAt: at(1), lastWait: 0 }],
      'the signals',
    )
    await store.deleteTrigger('t1')
    expectSame(await store.acceptTriggerCall(callOf('c4')), { outcome: 'gone' }, 'a call of none')
    expectSame((await store.listUndelivered(9)).length, 1, 'the signals later on')
  }),
  storeCase('lists calls newest first, and forgets old ones with their keys', async (store) => {
    await store.insertTrigger(triggerOf('t1'), 9)
    await store.acceptTriggerCall(triggerCallOf('c1', { key: 'k' }))
    const { task: _, ...ignored } = triggerCallOf('c2', {
      outcome: 'ignored',
      reason: oddText,
      journal: [],
      at: at(2),
    })
    expectSame(await store.acceptTriggerCall(ignored), { outcome: 'ignored' }, 'an ignored call')
    await store.acceptTriggerCall(triggerCallOf('c3', { key: 'k', at: at(3) }))
    expectSame(
      await store.listTriggerCalls('t1', 9),
      [
        { id: 'c3', triggerId: 't1', at: at(3), outcome: 'duplicate', taskId: 'c1' },
        { id: 'c2', triggerId: 't1', at: at(2), outcome: 'ignored', reason: oddText },
        { id: 'c1', triggerId: 't1', at: at(1), outcome: 'started', taskId: 'c1' },
      ],
      'the calls',
    )
    expectSame(
      (await store.listTriggerCalls('t1', 1)).map(({ id }) => id),
      ['c3'],
      'the newest',
    )
    const later = triggerCallOf('c4', { key: 'k', at: at(5), keptSince: at(3) })
    expectSame((await store.acceptTriggerCall(later)).outcome, 'started', 'the key behind its time')
    expectSame(
      (await store.listTriggerCalls('t1', 9)).map(({ id }) => id),
      ['c4', 'c3'],
      'what is left',
    )
  }),
  storeCase('stores nothing of a call above the limit, and of one whose trigger is gone', async (store) => {
    await store.insertTrigger(triggerOf('t1'), 9)
    const limit = { since: at(0), calls: 2 }
    const race = await Promise.all(
      ['c1', 'c2', 'c3', 'c4'].map((id) => store.acceptTriggerCall(triggerCallOf(id, { limit }))),
    )
    expectSame(race.filter(({ outcome }) => outcome === 'limited').length, 2, 'calls above the limit')
    const again = triggerCallOf('c5', { limit: { since: at(1), calls: 2 }, at: at(2) })
    expectSame((await store.acceptTriggerCall(again)).outcome, 'started', 'a call behind the minute')
    await store.deleteTrigger('t1')
    expectSame(await store.acceptTriggerCall(triggerCallOf('c6')), { outcome: 'gone' }, 'a call of none')
    expectSame(await store.listTriggerCalls('t1', 9), [], 'its calls')
    expectSame((await store.listTasks({}, { limit: 9 })).rows.length, 3, 'the tasks')
    expectSame(await countEvents(store), 3, 'the events')
  }),
  storeCase('A27: writes an entry with the change of a trigger, or neither', async (store) => {
    const entryOf = (id: string) =>
      ({ id, at: at(1), actor: 'local', action: 'trigger', target: 't1', outcome: 'done' }) as const
    const same = (before: StoredTrigger) => before
    await store.insertTrigger(triggerOf('t1'), 1, entryOf('e1'))
    await store.insertTrigger(triggerOf('t2'), 1, entryOf('e2'))
    await store.changeTrigger('t1', same, entryOf('e3'))
    await store.changeTrigger('t2', same, entryOf('e4'))
    await store.deleteTrigger('t1', entryOf('e5'))
    await store.deleteTrigger('t1', entryOf('e6'))
    const { rows } = await store.listAudit({}, { limit: 9 })
    expectSame(
      rows.map(({ id }) => id),
      ['e5', 'e3', 'e1'],
      'the entries',
    )
  }),
  storeCase('verbs on triggers give up when their signal has aborted', async (store) => {
    await store.insertTrigger(triggerOf('t1'), 9)
    await expectAborts({
      insertTrigger: (signal) => store.insertTrigger(triggerOf('t2'), 9, undefined, signal),
      changeTrigger: (signal) =>
        store.changeTrigger('t1', (one) => ({ ...one, name: 'x' }), undefined, signal),
      deleteTrigger: (signal) => store.deleteTrigger('t1', undefined, signal),
      findTrigger: (signal) => store.findTrigger('t1', signal),
      listTriggers: (signal) => store.listTriggers(signal),
      acceptTriggerCall: (signal) => store.acceptTriggerCall(triggerCallOf('c1'), signal),
      listTriggerCalls: (signal) => store.listTriggerCalls('t1', 9, signal),
    })
    expectSame(await store.listTriggers(), [triggerOf('t1')], 'the triggers')
    expectSame(await store.listTriggerCalls('t1', 9), [], 'the calls')
  }),
]
