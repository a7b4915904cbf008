import { expect, it } from 'vitest'
import { createTestStore } from '../create-test-store.ts'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import { firstFailureOf } from '../first-failure-of.ts'
import { repeatedStepCases } from './repeated-step-conformance.ts'

type Break = (store: RuntimeStore) => RuntimeStore

const firstFailure = (breakStore: Break) =>
  firstFailureOf(repeatedStepCases, () => breakStore(createTestStore()))

const brokenStores: Record<string, Break> = {
  'keeps a repeat again': (store) => ({
    ...store,
    saveRunStep: ({ isRepeat: _isRepeat, ...step }, signal) => store.saveRunStep(step, signal),
  }),
  'takes each repeat for kept': (store) => ({
    ...store,
    saveRunStep: async (step, signal) => step.isRepeat === true || store.saveRunStep(step, signal),
  }),
  'takes each write for a repeat': (store) => ({
    ...store,
    saveRunStep: (step, signal) => store.saveRunStep({ ...step, isRepeat: true }, signal),
  }),
  'asks nobody whose the run is': (store) => ({
    ...store,
    saveRunStep: async (step, signal) => (await store.saveRunStep(step, signal)) || step.isRepeat === true,
  }),
}

it('a store that is whole passes the kit', async () => {
  expect(await firstFailure((store) => store)).toBeUndefined()
})

it.each(Object.keys(brokenStores))('a store that %s fails the kit', async (name) => {
  expect(await firstFailure(brokenStores[name] ?? ((store) => store))).toBeDefined()
})
