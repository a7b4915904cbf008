import { expect, it } from 'vitest'
import { createTestStore } from '../create-test-store.ts'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import { firstFailureOf } from '../first-failure-of.ts'
import { approvalNoticeConformance } from './approval-notice-conformance.ts'

type Break = (store: RuntimeStore) => RuntimeStore

const firstFailure = (breakStore: Break) =>
  firstFailureOf(approvalNoticeConformance, () => breakStore(createTestStore()))

const brokenStores: Record<string, Break> = {
  'announces nothing': (store) => ({ ...store, announceApproval: async () => true }),
  'lists what was announced': (store) => ({
    ...store,
    listUnannounced: async () => store.listWaitsOf(['r1']),
  }),
  'closes without a message': (store) => ({
    ...store,
    closeNotice(given, signal) {
      const { message: _, ...closing } = given
      return store.closeNotice(closing, signal)
    },
  }),
  'closes again and again': (store) => ({
    ...store,
    closeNotice: async (closing, signal) => (await store.closeNotice(closing, signal)) || true,
  }),
  'closes what still waits': (store) => ({
    ...store,
    listClosableNotices: async () => store.findChatNotices('c1'),
  }),
  'settles no question': (store) => ({
    ...store,
    acceptMessages: (batch, signal) =>
      store.acceptMessages(
        {
          ...batch,
          acceptances: batch.acceptances.map(({ step: given, ...one }) => {
            const { settles: _, ...step } = given ?? {}
            return given ? { ...one, step: step as typeof given } : one
          }),
        },
        signal,
      ),
  }),
  'asks no next field': (store) => ({
    ...store,
    acceptMessages: (batch, signal) =>
      store.acceptMessages(
        { ...batch, acceptances: batch.acceptances.map((one) => ({ ...one, step: undefined as never })) },
        signal,
      ),
  }),
  'finds no code of a decided call': (store) => ({
    ...store,
    findChatNotices: (chat, _, signal) => store.findChatNotices(chat, undefined, signal),
  }),
}

it('a store that is whole passes the kit', async () => {
  expect(await firstFailure((store) => store)).toBeUndefined()
})

it.each(Object.keys(brokenStores))('a store that %s fails the kit', async (name) => {
  expect(await firstFailure(brokenStores[name] ?? ((store) => store))).toBeDefined()
})
