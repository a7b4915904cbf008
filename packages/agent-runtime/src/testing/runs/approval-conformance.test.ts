import { expect, it } from 'vitest'
import { createTestStore } from '../create-test-store.ts'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import { approvalCases } from './approval-conformance.ts'
import { firstFailureOf } from '../first-failure-of.ts'

type Break = (store: RuntimeStore) => RuntimeStore

const firstFailure = (breakStore: Break) => firstFailureOf(approvalCases, () => breakStore(createTestStore()))

const brokenStores: Record<string, Break> = {
  'lists approvals of the first run alone': (store) => ({
    ...store,
    listWaitsOf: (ids, signal) => store.listWaitsOf(ids.slice(0, 1), signal),
  }),
  'lists approvals of a run as often as it is named': (store) => ({
    ...store,
    listWaitsOf: async (ids, signal) =>
      (await Promise.all(ids.map((id) => store.listWaitsOf([id], signal)))).flat(),
  }),
  'lists the newest approvals first': (store) => ({
    ...store,
    listWaitsOf: async (ids, signal) => (await store.listWaitsOf(ids, signal)).toReversed(),
  }),
}

it('a store that is whole passes the kit', async () => {
  expect(await firstFailure((store) => store)).toBeUndefined()
})

it.each(Object.keys(brokenStores))('a store that %s fails the kit', async (name) => {
  expect(await firstFailure(brokenStores[name] ?? ((store) => store))).toBeDefined()
})
