import { type ConformanceCase, expectAborts, expectSame } from '@homeward/kit/testing'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import type { NewSignal } from '../../store/ports/signal-store.ts'
import { type StoreHarness, storeCase } from '../conformance-case.ts'
import { at, oddText } from '../conformance-fixtures.ts'

/** A signal `paid` of second 1, known from second 0 on. */
const signalOf = (id: string, changes: Partial<NewSignal> = {}): NewSignal => ({
  id,
  event: 'paid',
  data: { text: oddText, list: [1, null] },
  createdAt: at(1),
  knownSince: at(0),
  ...changes,
})

function storedOf(signal: NewSignal) {
  const { knownSince: _, ...stored } = signal
  return stored
}

/** Promises of `SignalStore`. */
export const signalStoreConformance: readonly ConformanceCase<StoreHarness<RuntimeStore>>[] = [
  storeCase(
    'stores a signal once for its id, however many come at once, until it is forgotten',
    async (store) => {
      const race = await Promise.all([1, 2, 3, 4].map((data) => store.insertSignal(signalOf('s1', { data }))))
      expectSame(race.filter(({ isNew }) => isNew).length, 1, 'the new ones')
      expectSame(new Set(race.map(({ signal }) => signal.data)).size, 1, 'what is stored')
      const known = signalOf('s1', { createdAt: at(2), knownSince: at(1) })
      expectSame((await store.insertSignal(known)).isNew, false, 'the id a second later')
      const later = signalOf('s1', { createdAt: at(9), knownSince: at(5) })
      expectSame(await store.insertSignal(later), { signal: storedOf(later), isNew: true }, 'the id later on')
    },
  ),
  storeCase('stores the first number of waits that got a signal', async (store) => {
    const signal = signalOf('s1')
    await store.insertSignal(signal)
    const count = (id: string, delivered: number) =>
      store.settleSignal({ id, createdAt: signal.createdAt, delivered })
    expectSame(await count('s1', 3), 3, 'the first number')
    expectSame(await count('s1', 4), 3, 'a second one')
    expectSame(await count('s2', 4), undefined, 'the number of an unknown signal')
    const again = await store.insertSignal(signal)
    expectSame(again, { signal: { ...storedOf(signal), delivered: 3 }, isNew: false }, 'the signal')
  }),
  storeCase('lists the signals of an event that later waits get, the oldest first', async (store) => {
    const kept = signalOf('s1', { keptUntil: at(5) })
    const longer = signalOf('s2', { keptUntil: at(9), createdAt: at(2) })
    for (const each of [kept, longer, signalOf('s3'), signalOf('s4', { event: 'x', keptUntil: at(9) })])
      await store.insertSignal(each)
    const list = (now: number, limit = 9) => store.listKeptSignals('paid', at(now), limit)
    expectSame(await list(4), [storedOf(kept), storedOf(longer)], 'both')
    expectSame(await list(4, 1), [storedOf(kept)], 'the first')
    expectSame(await list(5), [storedOf(longer)], 'what is left')
    await store.insertSignal(signalOf('s5', { createdAt: at(7), knownSince: at(6) }))
    expectSame(await list(4), [storedOf(longer)], 'one that later waits get for longer than its id is known')
  }),
  storeCase('verbs on signals give up when their signal has aborted', async (store) => {
    await expectAborts({
      insertSignal: (signal) => store.insertSignal(signalOf('s1', { keptUntil: at(9) }), signal),
      settleSignal: (signal) => store.settleSignal({ id: 's1', createdAt: at(1), delivered: 1 }, signal),
      listKeptSignals: (signal) => store.listKeptSignals('paid', at(1), 9, signal),
    })
    expectSame(await store.listKeptSignals('paid', at(1), 9), [], 'the signals')
  }),
]
