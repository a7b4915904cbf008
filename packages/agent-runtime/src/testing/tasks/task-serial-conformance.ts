import type { StoreHarness } from '../conformance-case.ts'
import { type ConformanceCase, race, expectSame } from '@homeward/kit/testing'
import { storeCase } from '../conformance-case.ts'
import { at, idsOf } from '../conformance-fixtures.ts'
import type { JournaledTasks } from './task-fixtures.ts'
import { addTasks, claimAll, claimOf, outcomes, settlementOf, taskOf } from './task-fixtures.ts'

const serial = (id: string, changes: Parameters<typeof taskOf>[1] = {}) =>
  taskOf(id, { serialKey: 'k', ...changes })

/** What a `TaskStore` promises about tasks of a serial key. */
export const taskSerialConformance: readonly ConformanceCase<StoreHarness<JournaledTasks>>[] = [
  storeCase('A1: tasks of a serial key run one at a time, in the order they were made', async (store) => {
    await addTasks(store, [
      serial('s1'),
      serial('s2', { priority: 9, subject: { kind: 'agent', id: 'a2' } }),
      serial('s3', { subject: { kind: 'graph', id: 'a1' } }),
      serial('other', { serialKey: 'k2' }),
      taskOf('free'),
    ])
    const claims = await race((index) => store.claimTasks(claimOf({ owner: `o${index}`, limit: 9 })))
    expectSame(claims.flatMap(idsOf).toSorted(), ['free', 'other', 's1'], 'what was taken')
    const [first] = claims.flat().filter(({ id }) => id === 's1')
    const end = { owner: first?.lease?.owner }
    await store.settleTask(settlementOf('s1', outcomes.completed, end))
    expectSame(await claimAll(store), ['s2'], 'the next')
    await store.settleTask(settlementOf('s2', outcomes.failed))
    expectSame(await claimAll(store), ['s3'], 'the last')
    await store.settleTask(settlementOf('s3', outcomes.completed))
    await addTasks(store, [serial('s4')])
    expectSame(await claimAll(store), ['s4'], 'one that comes when all have ended')
  }),
  storeCase('A1: a task of a serial key that goes on later holds up those behind it', async (store) => {
    await addTasks(store, [serial('s1'), serial('s2')])
    await store.claimTasks(claimOf())
    await store.settleTask(settlementOf('s1', outcomes.retry))
    expectSame(await claimAll(store, { now: at(59) }), [], 'what is taken before its next attempt')
    expectSame(await store.nextTaskTime(), at(60), 'when there is something to look for')
    expectSame(await claimAll(store, { now: at(60) }), ['s1'], 'what is taken then')
    await store.settleTask(settlementOf('s1', outcomes.parked))
    expectSame(await claimAll(store, { now: at(61) }), [], 'what is taken while it waits for a person')
    await store.settleTask(settlementOf('s1', outcomes.completed, { owner: undefined }))
    expectSame(await claimAll(store, { now: at(62) }), ['s2'], 'what is taken when it has ended')
    await store.settleTask(settlementOf('s2', outcomes.released))
    expectSame(await claimAll(store, { now: at(63) }), ['s2'], 'what was given back')
    expectSame(idsOf(await store.reclaimTasks({ now: at(99), limit: 9 })), ['s2'], 'what is taken back')
    await addTasks(store, [serial('s3')])
    expectSame(await claimAll(store, { now: at(99) }), ['s2'], 'what is taken behind that')
  }),
  storeCase('A1: cancelling a task of a serial key lets the next one go, and only that', async (store) => {
    await addTasks(store, [serial('s1'), serial('s2'), serial('s3'), serial('s4', { runAt: at(50) })])
    await store.claimTasks(claimOf())
    await store.cancelTask('s2', at(2))
    expectSame(await claimAll(store), [], 'what is taken when one that waits is cancelled')
    await store.cancelTask('s1', at(2))
    expectSame(await claimAll(store), [], 'what is taken while the cancelled one still runs')
    await store.settleTask(settlementOf('s1', outcomes.failed))
    expectSame(await claimAll(store), ['s3'], 'the next')
    await store.settleTask(settlementOf('s3', outcomes.completed))
    expectSame(await claimAll(store, { now: at(49) }), [], 'one that is not due')
    expectSame(await claimAll(store, { now: at(50) }), ['s4'], 'one that is due')
  }),
  storeCase(
    'A1: a failed task of a serial key that begins anew waits for the one that runs',
    async (store) => {
      await addTasks(store, [serial('s1'), serial('s2'), serial('s3')])
      await store.claimTasks(claimOf())
      await store.settleTask(settlementOf('s1', outcomes.failed))
      expectSame(await claimAll(store), ['s2'], 'the next')
      await store.retryTask('s1', at(6))
      expectSame(await claimAll(store, { now: at(7) }), [], 'what is taken beside it')
      await store.settleTask(settlementOf('s2', outcomes.completed))
      expectSame(await claimAll(store, { now: at(8) }), ['s1'], 'the older one first')
      await store.settleTask(settlementOf('s1', outcomes.completed))
      expectSame(await claimAll(store, { now: at(9) }), ['s3'], 'then the other')
    },
  ),
  storeCase('A1: tasks of a serial key that are made at once run one at a time', async (store) => {
    await race((index) => store.insertTask(serial(`s${index}`), []))
    const { rows } = await store.listTasks({}, { limit: 9 })
    const ids = idsOf(rows).toReversed()
    for (const id of ids) {
      expectSame(idsOf(await store.claimTasks(claimOf({ limit: 9 }))), [id], 'what can run at a time')
      await store.settleTask(settlementOf(id, outcomes.completed))
    }
    expectSame(ids.length, 8, 'how many there are')
  }),
  storeCase(
    'A1: one task of a serial key runs, whatever happens while the one before it ends',
    async (store) => {
      const takeOne = async () => {
        const taken = idsOf(await store.claimTasks(claimOf({ now: at(9), limit: 9 })))
        expectSame(taken.length, 1, `how many of ${taken.join(', ')} run`)
        return taken[0] ?? ''
      }
      await addTasks(store, [serial('s1'), serial('s2'), serial('s3')])
      let running = await takeOne()
      await Promise.all([
        store.settleTask(settlementOf(running, outcomes.failed)),
        store.insertTask(serial('s4'), []),
      ])
      running = await takeOne()
      expectSame(running, 's2', 'the one that runs when another one was made')
      await Promise.all([
        store.settleTask(settlementOf(running, outcomes.completed)),
        store.retryTask('s1', at(6)),
      ])
      running = await takeOne()
      await Promise.all([
        store.settleTask(settlementOf(running, outcomes.completed)),
        store.cancelTask(running === 's1' ? 's3' : 's1', at(7)),
      ])
      expectSame(await takeOne(), 's4', 'the one that is left')
    },
  ),
]
