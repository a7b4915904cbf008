import { expect, it } from 'vitest'
import { createTestStore } from '../create-test-store.ts'
import type { MessageAcceptance } from '../../store/ports/channel-acceptance.ts'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import { firstFailureOf } from '../first-failure-of.ts'
import { senderLinkConformance } from './sender-link-conformance.ts'

type Break = (store: RuntimeStore) => RuntimeStore

const firstFailure = (breakStore: Break) =>
  firstFailureOf(senderLinkConformance, () => breakStore(createTestStore()))

const changing =
  (change: (links: NonNullable<MessageAcceptance['links']>) => MessageAcceptance['links']): Break =>
  (store) => ({
    ...store,
    acceptMessages: (batch, signal) => {
      const acceptances = batch.acceptances.map(({ links, ...one }) => {
        const changed = links && change(links)
        return changed ? { ...one, links: changed } : one
      })
      return store.acceptMessages({ ...batch, acceptances }, signal)
    },
  })

const brokenStores: Record<string, Break> = {
  'links nobody': changing(() => undefined),
  'offers nothing': changing(({ offer: _offer, ...links }) => links),
  'takes any code': changing(({ change, ...links }) =>
    change ? { ...links, change: { userId: change.userId } } : links,
  ),
  'keeps memories and conversations': changing((links) => ({ ...links, own: 'somebody else' })),
  'undoes nothing': changing(({ change, ...links }) =>
    change && change.userId !== null ? { ...links, change } : links,
  ),
  'finds no code': (store) => ({ ...store, findSenderByCode: async () => undefined }),
  'finds codes that expired': (store) => ({
    ...store,
    findSenderByCode: (code) => store.findSenderByCode(code, ''),
  }),
  'does not link for the operator': (store) => ({
    ...store,
    decideChannelSender: ({ link: _link, ...decision }, ...rest) =>
      store.decideChannelSender(decision, ...rest),
  }),
}

it('a store that is whole passes the kit', async () => {
  expect(await firstFailure((store) => store)).toBeUndefined()
})

it.each(Object.keys(brokenStores))('a store that %s fails the kit', async (name) => {
  expect(await firstFailure(brokenStores[name] ?? ((store) => store))).toBeDefined()
})
