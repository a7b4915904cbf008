import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRuntime, type AgentRuntime } from '../index.ts'
import { createTestStore } from '../testing/create-test-store.ts'
import { createSqliteStore } from '../store/sqlite/index.ts'
import { createAgentPlatformHandler } from './index.ts'

let folder = ''
let runtime: AgentRuntime
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeward-repeats-'))
})
afterEach(async () => {
  await runtime.close()
  await rm(folder, { recursive: true })
})

const stores = {
  'in memory': () => createTestStore(),
  'on SQLite': () => createSqliteStore({ path: join(folder, 'agents.db') }),
}
type Ids = { id?: string; conversation_id?: string; message_id?: string; code?: string; message?: string }

describe.each(Object.entries(stores))('what is written again with the same key %s', (_where, createStore) => {
  async function open() {
    runtime = createRuntime({ store: createStore() })
    await runtime.agents.create({ id: 'writer', model: 'test/echo' })
    const handler = createAgentPlatformHandler({ runtime, auth: { kind: 'none' }, checkReplies: true })
    return async (path: string, body: object, key?: string, status = 201): Promise<Ids> => {
      const headers = {
        'content-type': 'application/json',
        ...(key !== undefined && { 'idempotency-key': key }),
      }
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      const response = await handler.fetch(new Request(`http://127.0.0.1:3010${path}`, init), {
        remoteAddress: '127.0.0.1',
      })
      expect(response.status).toBe(status)
      return (await response.json()) as Ids
    }
  }

  it('A11: is one memory; without a key it is another one, and with another text it is refused', async () => {
    const post = await open()
    const memory = { agent_id: 'writer', text: 'Ann likes tea', tags: ['drinks'] }
    const write = async (body: object, key?: string) => (await post('/api/memory/write', body, key)).id
    const first = await write(memory, 'k1')
    expect(await write(memory, 'k1')).toBe(first)
    expect(await write({ ...memory, idempotency_key: 'k1' }, 'other')).toBe(first)
    const others = [await write(memory, 'k2'), await write(memory), await write(memory)]
    await runtime.agents.create({ id: 'reader', model: 'test/echo' })
    for (const change of [
      { text: 'Ann likes black tea' },
      { tags: [] },
      { user_id: 'ann' },
      { agent_id: 'reader' },
      { expires_at: '2200-01-01T00:00:00Z' },
    ]) {
      const refused = await post('/api/memory/write', { ...memory, ...change }, 'k1', 409)
      expect(refused).toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('Send a new key') as string,
      })
    }
    const found = await runtime.memory.search({ q: 'tea', limit: 50 })
    expect(new Set(found.map(({ id }) => id))).toEqual(new Set([first, ...others]))
    expect(found).toHaveLength(4)
  })

  it('A12: is one message, of a new conversation and of one that is there', async () => {
    const post = await open()
    const begin = { agent_id: 'writer', content: 'Hello', title: 'Tea' }
    const begun = await post('/api/conversations', begin, 'k1')
    expect(await post('/api/conversations', begin, 'k1')).toEqual(begun)
    const more = { conversation_id: begun.conversation_id, content: 'More' }
    const added = await post('/api/conversations', more, 'k2')
    expect(await post('/api/conversations', more, 'k2')).toEqual(added)
    expect(await post('/api/conversations', more, 'k3')).not.toEqual(added)
    expect(await post('/api/conversations', begin)).not.toEqual(begun)
    const { messages } = await runtime.conversations.get(begun.conversation_id ?? '')
    expect(messages.map(({ content }) => content)).toEqual(['Hello', 'More', 'More'])
    expect((await runtime.conversations.list()).conversations).toHaveLength(2)
  })

  it('A12: is refused with another text, agent or user, also behind many messages', async () => {
    const post = await open()
    await runtime.agents.create({ id: 'reader', model: 'test/echo' })
    const begin = { agent_id: 'writer', user_id: 'ann', content: 'Hello' }
    const begun = await post('/api/conversations', begin, 'k1')
    const more = { conversation_id: begun.conversation_id, content: 'More' }
    const added = await post('/api/conversations', more, 'k2')
    for (let count = 0; count < 60; count += 1) await post('/api/conversations', more)
    const others: readonly [object, string][] = [
      [{ ...begin, content: 'Bye' }, 'k1'],
      [{ ...begin, role: 'assistant' }, 'k1'],
      [{ ...begin, agent_id: 'reader' }, 'k1'],
      [{ ...begin, user_id: 'bob' }, 'k1'],
      [{ agent_id: 'writer', content: 'Hello' }, 'k1'],
      [{ ...more, content: 'Less' }, 'k2'],
    ]
    for (const [body, key] of others) {
      const refused = await post('/api/conversations', body, key, 409)
      expect(refused).toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('Send a new key') as string,
      })
    }
    expect(await post('/api/conversations', begin, 'k1')).toEqual(begun)
    expect(await post('/api/conversations', more, 'k2')).toEqual(added)
    expect((await runtime.conversations.list()).conversations).toHaveLength(1)
    expect((await runtime.conversations.get(begun.conversation_id ?? '')).conversation.message_count).toBe(62)
  })
})
