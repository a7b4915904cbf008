import { expect, it } from 'vitest'
import { createTestStore } from '../../testing/create-test-store.ts'
import { findConversationOf } from './judge-message.ts'

const message = { role: 'user', text: 'Hi' } as const
const now = '2026-01-01T00:00:00.000Z'

async function open(conversations: readonly (readonly [id: string, agentId: string, userId?: string])[]) {
  const store = createTestStore()
  for (const [conversationId, agentId, userId] of conversations) {
    const messages = [{ id: `${conversationId}.0`, message }]
    await store.appendMessages({ conversationId, agentId, ...(userId && { userId }), messages, now })
  }
  return (agentId: string, userId: string) => findConversationOf(store, 'channel_a:1', { agentId, userId })
}

it('A12: a chat goes on with its own conversation', async () => {
  const find = await open([['channel_a:1', 'a', 'telegram:1']])
  expect(await find('a', 'telegram:1')).toBe('channel_a:1')
})

it('A12: a conversation without a user, or of another one, is handed to nobody', async () => {
  const old = await open([['channel_a:1', 'a']])
  expect(await old('a', 'telegram:1')).toBe('channel_a:1 a telegram:1')
  const foreign = await open([['channel_a:1', 'a', 'telegram:2']])
  expect(await foreign('a', 'telegram:1')).toBe('channel_a:1 a telegram:1')
})

it('A12: each agent has a conversation of its own in a chat', async () => {
  const find = await open([['channel_a:1', 'a', 'telegram:1']])
  expect(await find('b', 'telegram:1')).toBe('channel_a:1 b telegram:1')
  expect(await find('a', 'telegram:1')).toBe('channel_a:1')
})
