import { expect, it } from 'vitest'
import { createTestStore } from '../create-test-store.ts'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import { firstFailureOf } from '../first-failure-of.ts'
import { decisionCases } from './decision-conformance.ts'

type Break = (store: RuntimeStore) => RuntimeStore

const firstFailure = (breakStore: Break) => firstFailureOf(decisionCases, () => breakStore(createTestStore()))

const brokenStores: Record<string, Break> = {
  'drops changed arguments': (store) => ({
    ...store,
    settleWait(given, signal) {
      const { data: _, ...settlement } = given
      return store.settleWait({ ...settlement, data: { decision: 'approve' } }, signal)
    },
  }),
  'remembers nothing': (store) => ({
    ...store,
    settleWait(given, signal) {
      const { remember: _, ...settlement } = given
      return store.settleWait(settlement, signal)
    },
  }),
  'knows no time of the next one': (store) => ({
    ...store,
    listDueWaits: async (now, limit) => ({ due: (await store.listDueWaits(now, limit)).due }),
  }),
  'finds decisions of all conversations': (store) => ({
    ...store,
    findRememberedCalls: async ({ agentId, callHashes }) =>
      (await store.listRememberedCalls({ agentId })).filter(({ callHash }) => callHashes.includes(callHash)),
  }),
  'finds decisions of all users': (store) => ({
    ...store,
    findRememberedCalls: async ({ agentId, conversationId, callHashes }) =>
      (await store.listRememberedCalls({ agentId })).filter(
        (call) =>
          callHashes.includes(call.callHash) &&
          (call.conversationId === undefined || call.conversationId === conversationId),
      ),
  }),
  'forgets decisions of other users': (store) => ({
    ...store,
    forgetRememberedCalls: (filter) => store.forgetRememberedCalls({ ...filter, userId: undefined }),
  }),
  'lists the oldest first': (store) => ({
    ...store,
    listRememberedCalls: async (filter) => (await store.listRememberedCalls(filter)).toReversed(),
  }),
  'forgets nothing': (store) => ({ ...store, forgetRememberedCalls: async () => 1 }),
}

it('a store that is whole passes the kit', async () => {
  expect(await firstFailure((store) => store)).toBeUndefined()
})

it.each(Object.keys(brokenStores))('a store that %s fails the kit', async (name) => {
  expect(await firstFailure(brokenStores[name] ?? ((store) => store))).toBeDefined()
})
