import { type ConformanceCase, expectAborts, expectSame } from '@homeward/kit/testing'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import type { NewSignal, StoredSignal } from '../../store/ports/signal-store.ts'
import type { StoredWait } from '../../store/ports/wait.ts'
import { type StoreHarness, storeCase } from '../conformance-case.ts'
import { at, graphRunOf, idsOf, leaseOf, oddText, readAll, stepOf } from '../conformance-fixtures.ts'
import { waitOf } from './wait-conformance.ts'

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
  return { ...stored, lastWait: 0 }
}

/** Opens waits of a graph's run for `paid`, unless `changes` says otherwise. */
async function open(
  store: RuntimeStore,
  runId: string,
  ids: readonly string[],
  changes: Partial<StoredWait> = {},
): Promise<void> {
  if (!(await store.findRun(runId))) await store.insertRun(graphRunOf(runId), leaseOf(), [])
  const opens = ids.map((id) => waitOf(runId, id, { kind: 'event', event: 'paid', ...changes }))
  await store.saveRunStep(stepOf(runId, { opens }))
}

const insert = async (store: RuntimeStore, id: string, changes: Partial<NewSignal> = {}) =>
  (await store.insertSignal(signalOf(id, changes))).signal

/** Waits that a signal is still to get to. */
const receiversOf = async (store: RuntimeStore, signal: StoredSignal, limit = 9) =>
  idsOf(await readAll((cursor) => store.listSignalWaits(signal, { limit, cursor })))

/** Gives a signal to a wait. @returns whether the wait took it */
async function give(store: RuntimeStore, signal: StoredSignal, runId: string, waitId: string) {
  const how = { status: 'answered', data: signal.data, settledAt: at(3), journal: [] } as const
  const settlement = { ...how, runId, waitId, settledBy: `signal:${signal.id}`, signal }
  return (await store.settleWait(settlement)).outcome === 'settled'
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
  storeCase('finds the waits that were open when a signal was stored, the oldest first', async (store) => {
    await open(store, 'g1', ['w1', 'w2'])
    await open(store, 'g2', ['w3'])
    await open(store, 'g3', ['w4'], { event: 'sent' })
    const signal = await insert(store, 's1')
    await open(store, 'g1', ['w5'])
    expectSame(await receiversOf(store, signal), ['w1', 'w2', 'w3'], 'the waits')
    expectSame(await receiversOf(store, signal, 1), ['w1', 'w2', 'w3'], 'the waits, one by one')
    await give(store, signal, 'g1', 'w2')
    expectSame(await receiversOf(store, signal), ['w1', 'w3'], 'what is left')
  }),
  storeCase(
    'finds the waits that were opened until the time of a signal, whatever a clock said',
    async (store) => {
      await open(store, 'g1', ['w1'], { createdAt: at(99) })
      const signal = await insert(store, 's1', { keptUntil: at(5) })
      await open(store, 'g1', ['w2'], { createdAt: at(5) })
      await open(store, 'g1', ['w3'], { createdAt: at(6) })
      expectSame(await receiversOf(store, signal), ['w1', 'w2'], 'the waits')
    },
  ),
  storeCase('counts each wait that got a signal once, however many deliver it', async (store) => {
    await open(store, 'g1', ['w1', 'w2'])
    await open(store, 'g2', ['w3', 'w4'])
    const signal = await insert(store, 's1')
    const pairs = [
      ['g1', 'w1'],
      ['g1', 'w2'],
      ['g2', 'w3'],
      ['g2', 'w9'],
    ] as const
    const race = [...pairs, ...pairs].map(([runId, id]) => give(store, signal, runId, id))
    expectSame((await Promise.all(race)).filter(Boolean).length, 3, 'the waits that took it')
    const other = await insert(store, 's2')
    await give(store, other, 'g2', 'w4')
    expectSame(await store.settleSignal(signal), 3, 'the number')
    expectSame(await store.settleSignal(other), 1, 'that of another one')
    const unknown = { id: 's3', createdAt: at(1) }
    expectSame(await store.settleSignal(unknown), undefined, 'the number of an unknown signal')
    await open(store, 'g3', ['w5'])
    await give(store, signal, 'g3', 'w5')
    expectSame(await store.settleSignal(signal), 3, 'the number later on')
    const again = await store.insertSignal(signalOf('s1'))
    expectSame(again, { signal: { ...signal, delivered: 3 }, isNew: false }, 'the signal')
  }),
  storeCase('gives a signal to later waits of a run once, and to all that were open', async (store) => {
    await open(store, 'g1', ['w1', 'w2'])
    const signal = await insert(store, 's1', { keptUntil: at(9) })
    await open(store, 'g1', ['w3'])
    await open(store, 'g2', ['w4', 'w5'])
    expectSame(
      [await give(store, signal, 'g1', 'w1'), await give(store, signal, 'g1', 'w2')],
      [true, true],
      'open waits of one run',
    )
    expectSame(await give(store, signal, 'g1', 'w3'), false, 'a later one of the run')
    const race = await Promise.all(['w4', 'w5'].map((id) => give(store, signal, 'g2', id)))
    expectSame(race.filter(Boolean).length, 1, 'later ones of another run')
    const { rows } = await store.listWaits({ status: 'open' }, { limit: 9 })
    expectSame(rows.length, 2, 'what is open')
    expectSame(await give(store, await insert(store, 's2'), 'g1', 'w3'), true, 'another signal')
  }),
  storeCase(
    'lists signals that are not delivered, the oldest first, and forgets none of them',
    async (store) => {
      const [first, second] = [await insert(store, 's1'), await insert(store, 's2')]
      expectSame(await store.listUndelivered(9), [first, second], 'both')
      expectSame(await store.listUndelivered(1), [first], 'the first')
      await insert(store, 's3', { createdAt: at(9), knownSince: at(8) })
      await store.settleSignal(first)
      expectSame(idsOf(await store.listUndelivered(9)), ['s2', 's3'], 'what is left')
    },
  ),
  storeCase('lists the signals of an event that later waits get, the oldest first', async (store) => {
    const kept = signalOf('s1', { keptUntil: at(5) })
    const longer = signalOf('s2', { keptUntil: at(9), createdAt: at(2) })
    for (const each of [kept, longer, signalOf('s3'), signalOf('s4', { event: 'x', keptUntil: at(9) })])
      await store.settleSignal((await store.insertSignal(each)).signal)
    const list = (now: number, limit = 9) => store.listKeptSignals('paid', at(now), limit)
    const [short, long] = [kept, longer].map((one) => ({ ...storedOf(one), delivered: 0 }))
    expectSame(await list(4), [short, long], 'both')
    expectSame(await list(4, 1), [short], 'the first')
    expectSame(await list(5), [long], 'what is left')
    await store.insertSignal(signalOf('s5', { createdAt: at(7), knownSince: at(6) }))
    expectSame(await list(4), [long], 'one that later waits get for longer than its id is known')
  }),
  storeCase('verbs on signals give up when their signal has aborted', async (store) => {
    await expectAborts({
      insertSignal: (signal) => store.insertSignal(signalOf('s1', { keptUntil: at(9) }), signal),
      listSignalWaits: (signal) =>
        store.listSignalWaits({ event: 'paid', lastWait: 9 }, { limit: 9 }, signal),
      settleSignal: (signal) => store.settleSignal({ id: 's1', createdAt: at(1) }, signal),
      listUndelivered: (signal) => store.listUndelivered(9, signal),
      listKeptSignals: (signal) => store.listKeptSignals('paid', at(1), 9, signal),
    })
    expectSame(await store.listKeptSignals('paid', at(1), 9), [], 'the signals')
  }),
]
