import { expect, it } from 'vitest'
import { createTestStore } from '../create-test-store.ts'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import { firstFailureOf } from '../first-failure-of.ts'
import { takeOverCases } from './take-over-conformance.ts'

type Break = (store: RuntimeStore) => RuntimeStore

const firstFailure = (breakStore: Break) => firstFailureOf(takeOverCases, () => breakStore(createTestStore()))

const brokenStores: Record<string, Break> = {
  'counts none': (store) => ({
    ...store,
    claimRuns: async (claim, signal) =>
      (await store.claimRuns(claim, signal)).map(({ takeOvers: _takeOvers, ...run }) => run),
  }),
  'counts on behind a message': (store) => ({
    ...store,
    saveRunStep: (step, signal) => store.saveRunStep({ ...step, messages: [] }, signal),
  }),
  'takes each step for a message': (store) => ({
    ...store,
    saveRunStep: (step, signal) =>
      store.saveRunStep({ ...step, messages: [{ role: 'user', text: 'x' }] }, signal),
  }),
  'counts what was given back': (store) => ({ ...store, releaseRuns: async () => {} }),
  'counts what an owner takes from itself': (store) => ({
    ...store,
    claimRuns: (claim, signal) =>
      store.claimRuns({ ...claim, lease: { ...claim.lease, owner: crypto.randomUUID() } }, signal),
  }),
}

it('a store that is whole passes the kit', async () => {
  expect(await firstFailure((store) => store)).toBeUndefined()
})

it.each(Object.keys(brokenStores))('a store that %s fails the kit', async (name) => {
  expect(await firstFailure(brokenStores[name] ?? ((store) => store))).toBeDefined()
})
