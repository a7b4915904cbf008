import { expect, it } from 'vitest'
import { createTestStore } from './create-test-store.ts'
import type { BudgetReservation } from '../store/ports/budget-store.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import { firstFailureOf, pause } from './first-failure-of.ts'
import { retentionConformance } from './retention-conformance.ts'

type Break = (store: RuntimeStore) => RuntimeStore

/** The first case that a store does not pass. */
const firstFailure = (breakStore: Break) =>
  firstFailureOf(retentionConformance, () => breakStore(createTestStore()))

const brokenStores: Record<string, Break> = {
  'removes nothing': (store) => ({ ...store, prune: async () => false }),
  'keeps tasks that have ended': (store) => ({
    ...store,
    prune: (limits, signal) => store.prune({ ...limits, tasksBefore: '' }, signal),
  }),
  'keeps what runs drew': (store) => {
    const made: BudgetReservation[] = []
    return {
      ...store,
      reserveBudget(reservation, signal) {
        made.push(reservation)
        return store.reserveBudget(reservation, signal)
      },
      async prune(limits, signal) {
        const mayBeMore = await store.prune(limits, signal)
        for (const reservation of made) await store.reserveBudget(reservation)
        return mayBeMore
      },
    }
  },
  'loses events of a run of which others have gone': (store) => {
    let hasPruned = false
    return {
      ...store,
      prune(limits, signal) {
        hasPruned = true
        return store.prune(limits, signal)
      },
      listEvents: (filter, signal) =>
        store.listEvents(filter.runId !== undefined && hasPruned ? { ...filter, limit: 0 } : filter, signal),
    }
  },
  'begins a task anew that has gone meanwhile': (store) => ({
    ...store,
    async retryTask(id, now, toEvent, signal) {
      const task = await store.findTask(id, signal)
      await pause()
      return (await store.retryTask(id, now, toEvent, signal)) ?? task
    },
  }),
  'keeps days and months that are over': (store) => ({
    ...store,
    readBudget: async (key, signal) =>
      key.startsWith('run:') ? store.readBudget(key, signal) : { tokens: 20, microUsd: 2 },
  }),
}

it('a store that is whole passes the kit', async () => {
  expect(await firstFailure((store) => store)).toBeUndefined()
})

it.each(Object.keys(brokenStores))('a store that %s fails the kit', async (name) => {
  expect(await firstFailure(brokenStores[name] ?? ((store) => store))).toBeDefined()
})
