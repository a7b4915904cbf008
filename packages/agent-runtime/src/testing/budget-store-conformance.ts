import type { BudgetReservation, BudgetStore } from '../store/ports/budget-store.ts'
import type { StoreHarness } from './conformance-case.ts'
import { type ConformanceCase, race, expectAborts, expectSame } from '@homeward/kit/testing'
import { storeCase } from './conformance-case.ts'

const granted = { outcome: 'reserved' } as const

function reservationOf(id: string, changes: Partial<BudgetReservation> = {}): BudgetReservation {
  return { id, accounts: [{ key: 'a', maxTokens: 100 }], tokens: 30, microUsd: 5, ...changes }
}

/**
 * Conformance cases for a `BudgetStore`, for any test runner.
 *
 * @example
 * for (const { name, run } of budgetStoreConformance) it(name, () => run({ create: async () => ({ store: createMyStore() }) }))
 */
export const budgetStoreConformance: readonly ConformanceCase<StoreHarness<BudgetStore>>[] = [
  storeCase('a reservation counts until it is settled, and then what the call did cost', async (store) => {
    expectSame(await store.readBudget('a'), { tokens: 0, microUsd: 0 }, 'an account that nobody used')
    expectSame(await store.reserveBudget(reservationOf('1')), granted, 'the first')
    expectSame(await store.reserveBudget(reservationOf('2')), granted, 'the second')
    expectSame(await store.readBudget('a'), { tokens: 60, microUsd: 10 }, 'what is reserved')
    await store.settleBudget({ id: '1', tokens: 10, microUsd: 7 })
    expectSame(await store.readBudget('a'), { tokens: 40, microUsd: 12 }, 'when the first is settled')
    await store.settleBudget({ id: '1', tokens: 99, microUsd: 99 })
    await store.settleBudget({ id: 'nothing', tokens: 99, microUsd: 99 })
    expectSame(await store.readBudget('a'), { tokens: 40, microUsd: 12 }, 'after settling once more')
    await store.settleBudget({ id: '2', tokens: 35, microUsd: 0 })
    expectSame(await store.readBudget('a'), { tokens: 45, microUsd: 7 }, 'when a call did cost more')
  }),
  storeCase('a reservation that does not fit changes nothing on any account', async (store) => {
    const accounts = [{ key: 'wide' }, { key: 'narrow', maxTokens: 50 }, { key: 'other', maxTokens: 99 }]
    expectSame(await store.reserveBudget(reservationOf('1', { accounts })), granted, 'one that fits')
    const refused = { outcome: 'refused', key: 'narrow', balance: { tokens: 30, microUsd: 5 } }
    expectSame(await store.reserveBudget(reservationOf('2', { accounts })), refused, 'one that does not')
    for (const key of ['wide', 'narrow', 'other']) {
      expectSame(await store.readBudget(key), { tokens: 30, microUsd: 5 }, `the account ${key}`)
    }
    await store.settleBudget({ id: '2', tokens: 1, microUsd: 1 })
    expectSame(await store.readBudget('wide'), { tokens: 30, microUsd: 5 }, 'settling what was refused')
    const exact = reservationOf('3', { accounts, tokens: 20 })
    expectSame(await store.reserveBudget(exact), granted, 'one that just fits')
    const none = reservationOf('4', { accounts: [], tokens: 1e9 })
    expectSame(await store.reserveBudget(none), granted, 'one without accounts')
  }),
  storeCase('money is limited like tokens', async (store) => {
    const accounts = [{ key: 'a', maxTokens: 1000, maxMicroUsd: 9 }]
    expectSame(await store.reserveBudget(reservationOf('1', { accounts })), granted, 'the first')
    const refused = { outcome: 'refused', key: 'a', balance: { tokens: 30, microUsd: 5 } }
    expectSame(await store.reserveBudget(reservationOf('2', { accounts })), refused, 'the second')
    const rest = reservationOf('rest', { tokens: 0, microUsd: 4, accounts })
    expectSame(await store.reserveBudget(rest), granted, 'one that just fits')
    const large = reservationOf('3', { microUsd: 4_000_000_000_000, accounts: [{ key: 'large' }] })
    await store.reserveBudget(large)
    expectSame((await store.readBudget('large')).microUsd, 4_000_000_000_000, 'a large amount')
  }),
  storeCase('a reservation that is asked for again counts once, settled or not', async (store) => {
    const full = reservationOf('1', { tokens: 100 })
    const outcomes = await race(() => store.reserveBudget(full))
    expectSame(
      outcomes,
      outcomes.map(() => granted),
      'the same reservation',
    )
    expectSame(await store.readBudget('a'), { tokens: 100, microUsd: 5 }, 'what is reserved')
    await store.settleBudget({ id: '1', tokens: 60, microUsd: 0 })
    expectSame(await store.reserveBudget(full), granted, 'when it is settled')
    expectSame(await store.readBudget('a'), { tokens: 60, microUsd: 0 }, 'what was used')
    const twice = reservationOf('2', { accounts: [{ key: 'b' }, { key: 'b' }] })
    await store.reserveBudget(twice)
    expectSame((await store.readBudget('b')).tokens, 30, 'an account that is named twice')
  }),
  storeCase('no more is granted than there is, however many calls race', async (store) => {
    const outcomes = await race((index) => store.reserveBudget(reservationOf(`${index}`)))
    expectSame(outcomes.filter(({ outcome }) => outcome === 'reserved').length, 3, 'how many were granted')
    expectSame(await store.readBudget('a'), { tokens: 90, microUsd: 15 }, 'the account')
  }),
  storeCase('verbs on budgets give up when their signal has aborted', async (store) => {
    await store.reserveBudget(reservationOf('1'))
    await expectAborts({
      reserveBudget: (signal) => store.reserveBudget(reservationOf('2'), signal),
      settleBudget: (signal) => store.settleBudget({ id: '1', tokens: 0, microUsd: 0 }, signal),
      readBudget: (signal) => store.readBudget('a', signal),
    })
    expectSame(await store.readBudget('a'), { tokens: 30, microUsd: 5 }, 'the account')
  }),
  storeCase('budgets go on when the storage is opened again', async (store, { reopen }) => {
    await store.reserveBudget(reservationOf('1'))
    if (reopen === undefined) return
    const again = await reopen()
    expectSame(await again.readBudget('a'), { tokens: 30, microUsd: 5 }, 'the account')
    await again.settleBudget({ id: '1', tokens: 1, microUsd: 1 })
    expectSame(await again.readBudget('a'), { tokens: 1, microUsd: 1 }, 'when it is settled')
  }),
]
