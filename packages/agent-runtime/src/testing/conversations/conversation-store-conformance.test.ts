import { expect, it } from 'vitest'
import { isOwnConversation, notOwnConversation } from '../../conversations/own-conversation.ts'
import { createTestStore } from '../create-test-store.ts'
import type { ConversationAppend, ConversationStore } from '../../store/ports/conversation-store.ts'
import { conversationStoreConformance } from './conversation-store-conformance.ts'
import { firstFailureOf, pause } from '../first-failure-of.ts'

type Append = ConversationStore['appendMessages']
/** Breaks how a whole store appends. */
type Break = (store: ConversationStore) => Append

const firstFailure = (breakStore: Break) =>
  firstFailureOf(conversationStoreConformance, () => {
    const store = createTestStore()
    return { ...store, appendMessages: breakStore(store) }
  })

/** Appends as whoever the conversation is of. */
async function force(store: ConversationStore, append: ConversationAppend, changes: object) {
  const found = await store.findConversation(append.conversationId)
  await store.appendMessages(found ? { ...append, ...changes } : append)
}

const brokenStores: Record<string, Break> = {
  'looks whose a conversation is before it appends': (store) => async (append, signal) => {
    const known = await store.findConversation(append.conversationId, signal)
    await pause()
    if (known && !isOwnConversation(known, append)) throw notOwnConversation('Appending')
    const { agentId, userId } = (await store.findConversation(append.conversationId)) ?? append
    await store.appendMessages({ ...append, agentId, ...(userId !== undefined && { userId }) })
  },
  'lets every agent in': (store) => async (append, signal) => {
    signal?.throwIfAborted()
    const { agentId } = (await store.findConversation(append.conversationId)) ?? append
    await force(store, append, { agentId })
  },
  'lets every user in': (store) => async (append, signal) => {
    signal?.throwIfAborted()
    await force(store, append, { userId: undefined })
  },
  'lets nobody in who names no user': (store) => async (append, signal) => {
    const known = await store.findConversation(append.conversationId, signal)
    if (known?.userId !== undefined && append.userId === undefined) throw notOwnConversation('Appending')
    await store.appendMessages(append, signal)
  },
  'lets no user into a conversation of nobody': (store) => async (append, signal) => {
    const known = await store.findConversation(append.conversationId, signal)
    if (known && known.userId === undefined && append.userId !== undefined)
      throw notOwnConversation('Appending')
    await store.appendMessages(append, signal)
  },
  'makes a conversation again that was deleted': (store) => async (append, signal) => {
    const { conversationCreatedAt: _createdAt, ...rest } = append
    const known = await store.findConversation(append.conversationId, signal)
    await store.appendMessages(known ? append : rest, signal)
  },
  'goes on with another conversation of the same id': (store) => async (append, signal) => {
    const { conversationCreatedAt: _createdAt, ...rest } = append
    const known = await store.findConversation(append.conversationId, signal)
    await store.appendMessages(known ? rest : append, signal)
  },
}

it('a store that is whole passes the kit', async () => {
  expect(await firstFailure((store) => store.appendMessages)).toBeUndefined()
})

it.each(Object.keys(brokenStores))('a store that %s fails the kit', async (name) => {
  const failure = await firstFailure(brokenStores[name] ?? ((store) => store.appendMessages))
  expect(failure).toMatch(
    /^A12: (what a conversation has|appends nothing to|goes on with|a new conversation is of one)/,
  )
})
