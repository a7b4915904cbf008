import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createInMemoryStore, createRuntime, type AgentRuntime } from '../index.ts'
import { createSqliteStore } from '../sqlite/index.ts'
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
  'in memory': () => createInMemoryStore(),
  'on SQLite': () => createSqliteStore({ path: join(folder, 'agents.db') }),
}
type Ids = { id?: string; conversation_id?: string; message_id?: string }

describe.each(Object.entries(stores))('what is written again with the same key %s', (_where, createStore) => {
  async function open() {
    runtime = createRuntime({ store: createStore() })
    await runtime.agents.create({ id: 'writer', model: 'test/echo' })
    const handler = createAgentPlatformHandler({ runtime, auth: { kind: 'none' }, checkReplies: true })
    return async (path: string, body: object, key?: string): Promise<Ids> => {
      const headers = {
        'content-type': 'application/json',
        ...(key !== undefined && { 'idempotency-key': key }),
      }
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      const response = await handler.fetch(new Request(`http://127.0.0.1:3010${path}`, init), {
        remoteAddress: '127.0.0.1',
      })
      expect(response.status).toBe(201)
      return (await response.json()) as Ids
    }
  }

  it('A11: is one memory; with another text, or without a key, it is another one', async () => {
    const post = await open()
    const memory = { agent_id: 'writer', text: 'Ann likes tea', tags: ['drinks'] }
    const write = async (body: object, key?: string) => (await post('/api/memory/write', body, key)).id
    const first = await write(memory, 'k1')
    expect(await write(memory, 'k1')).toBe(first)
    expect(await write({ ...memory, idempotency_key: 'k1' }, 'other')).toBe(first)
    const others = [
      await write(memory, 'k2'),
      await write({ ...memory, text: 'Ann likes black tea' }, 'k1'),
      await write({ ...memory, user_id: 'ann' }, 'k1'),
      await write(memory),
      await write(memory),
    ]
    const found = await runtime.memory.search({ q: 'tea', limit: 50 })
    expect(new Set(found.map(({ id }) => id))).toEqual(new Set([first, ...others]))
    expect(found).toHaveLength(6)
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
})
