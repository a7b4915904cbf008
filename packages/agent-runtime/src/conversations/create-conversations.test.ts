import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createTestStore } from '../testing/create-test-store.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { createConversations } from './create-conversations.ts'

let nowMs: number
let ids: number
let store: ReturnType<typeof createTestStore>
const summarize = vi.fn(async () => 'They spoke.')
const open = () =>
  createConversations({
    store,
    now: () => (nowMs += 1000),
    createId: () => `id-${(ids += 1)}`,
    summarize,
    cancelRun: vi.fn(),
  })

beforeEach(() => {
  nowMs = Date.parse('2026-01-01T00:00:00Z')
  ids = 0
  store = createTestStore()
  summarize.mockClear()
})

describe('createConversations', () => {
  it('A12: appends to a new conversation or to the one that is named', async () => {
    const conversations = open()
    const first = await conversations.append({
      agent_id: 'a',
      content: 'Hi',
      title: 'Greeting',
      user_id: 'u',
    })
    const second = await conversations.append({
      conversation_id: first.conversationId,
      role: 'assistant',
      content: 'Hello',
    })
    expect(second.conversationId).toBe(first.conversationId)
    const { conversation, messages, nextCursor } = await conversations.get(first.conversationId)
    expect(conversation).toMatchObject({ agent_id: 'a', user_id: 'u', title: 'Greeting', message_count: 2 })
    expect(messages).toEqual([
      { id: first.messageId, role: 'user', content: 'Hi', created_at: '2026-01-01T00:00:01.000Z' },
      { id: second.messageId, role: 'assistant', content: 'Hello', created_at: '2026-01-01T00:00:02.000Z' },
    ])
    expect(nextCursor).toBeUndefined()
  })

  it('A12: makes a conversation under an id of the caller, when an agent is named', async () => {
    const conversations = open()
    await expect(conversations.append({ conversation_id: 'mine', content: 'x' })).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(conversations.append({ content: 'x' })).rejects.toThrow('"agent_id" is missing')
    expect(
      await conversations.append({ conversation_id: 'mine', agent_id: 'a', content: 'x' }),
    ).toMatchObject({
      conversationId: 'mine',
    })
  })

  it('A12: appends nothing to a conversation of another agent or user', async () => {
    const conversations = open()
    const conversation_id = 'mine'
    await conversations.append({ conversation_id, agent_id: 'a', user_id: 'u', content: 'x' })
    for (const foreign of [{ agent_id: 'b' }, { user_id: 'v' }, { agent_id: 'b', user_id: 'u' }]) {
      const appended = conversations.append({ conversation_id, content: 'Whose is this?', ...foreign })
      await expect(appended).rejects.toMatchObject({ code: 'not_found' })
    }
    await conversations.append({ conversation_id, agent_id: 'a', user_id: 'u', content: 'x' })
    expect((await conversations.get(conversation_id)).messages).toHaveLength(2)
  })

  it('A12: of two who begin a conversation at once, one has it', async () => {
    const conversations = open()
    const begin = (agent_id: string, user_id: string) =>
      conversations.append({ conversation_id: 'new', agent_id, user_id, content: `of ${user_id}` })
    const [first, second] = await Promise.allSettled([begin('a', 'u'), begin('b', 'v')])
    expect(first.status).toBe('fulfilled')
    expect(second).toMatchObject({ reason: { code: 'not_found' } })
    // what there was before the look is answered with the same words
    const late = await begin('b', 'v').catch((error: unknown) => error)
    expect(second).toMatchObject({ reason: { message: (late as Error).message } })
    const { messages } = await conversations.get('new')
    expect(messages.map(({ content }) => content)).toEqual(['of u'])
  })

  it('A12: shows the newest page, oldest message first, and leads to older ones', async () => {
    const conversations = open()
    for (let at = 1; at <= 5; at += 1) {
      await conversations.append({ conversation_id: 'c', agent_id: 'a', content: `m${at}` })
    }
    const newest = await conversations.get('c', { limit: 2 })
    expect(newest.messages.map(({ content }) => content)).toEqual(['m4', 'm5'])
    const older = await conversations.get('c', { limit: 2, cursor: newest.nextCursor })
    expect(older.messages.map(({ content }) => content)).toEqual(['m2', 'm3'])
  })

  it('A12: shows tool calls and their results, and no reasoning', async () => {
    await store.appendMessages({
      conversationId: 'c',
      agentId: 'a',
      now: '2026-01-01T00:00:00.000Z',
      messages: [
        {
          id: 'm1',
          runId: 'r',
          message: {
            role: 'assistant',
            parts: [
              { type: 'reasoning', text: 'secretly' },
              { type: 'text', text: 'Let me ' },
              { type: 'text', text: 'look.' },
              { type: 'tool_call', id: 'c1', name: 'time', args: {} },
              { type: 'tool_call', id: 'c2', name: 'fail', args: { a: 1 }, provider_data: { x: { y: 1 } } },
            ],
          },
        },
        {
          id: 'm2',
          message: {
            role: 'tool',
            results: [
              { id: 'c1', name: 'time', result: { now: 1 } },
              { id: 'c2', name: 'fail', error: 'no' },
            ],
          },
        },
      ],
    })
    const { messages } = await open().get('c')
    expect(messages).toMatchObject([
      {
        role: 'assistant',
        content: 'Let me look.',
        run_id: 'r',
        tool_calls: [
          { id: 'c1', name: 'time', args: {} },
          { id: 'c2', name: 'fail', args: { a: 1 } },
        ],
      },
      { id: 'm2', role: 'tool', tool_call_id: 'c1', tool_name: 'time', content: '{"now":1}' },
      { id: 'm2:1', role: 'tool', tool_call_id: 'c2', tool_name: 'fail', content: 'no' },
    ])
    expect(JSON.stringify(messages)).not.toMatch(/secretly|provider_data/)
  })

  it('A12: lists newest first, by agent and user', async () => {
    const conversations = open()
    await conversations.append({ conversation_id: 'c1', agent_id: 'a', content: 'x' })
    await conversations.append({ conversation_id: 'c2', agent_id: 'b', content: 'x' })
    await conversations.append({ conversation_id: 'c3', agent_id: 'a', user_id: 'u', content: 'x' })
    const idsOf = async (query = {}) => (await conversations.list(query)).conversations.map(({ id }) => id)
    expect(await idsOf()).toEqual(['c3', 'c2', 'c1'])
    expect(await idsOf({ agentId: 'a' })).toEqual(['c3', 'c1'])
    expect(await idsOf({ agentId: 'a', userId: 'u' })).toEqual(['c3'])
    const { nextCursor } = await conversations.list({ limit: 2 })
    expect(await idsOf({ cursor: nextCursor })).toEqual(['c1'])
  })

  it('C11: gives what was said in pages of bounded size, however long messages are', async () => {
    const conversations = open()
    const said = { conversation_id: 'c', agent_id: 'a', content: 'x'.repeat(1_000_000) }
    for (let count = 0; count < 25; count += 1) await conversations.append(said)
    const ids = new Set<string>()
    let cursor: string | undefined
    do {
      const page = await conversations.get('c', { limit: 500, ...(cursor !== undefined && { cursor }) })
      expect(page.messages.length).toBeLessThanOrEqual(10)
      for (const { id } of page.messages) ids.add(id)
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(ids.size).toBe(25)
  })

  it('A12: renames, sums up and deletes, or says that there is none', async () => {
    const conversations = open()
    await conversations.append({ conversation_id: 'c', agent_id: 'a', content: 'x' })
    expect(await conversations.rename('c', ' Plans ')).toMatchObject({ id: 'c', title: 'Plans' })
    for (const none of [null, ' ']) {
      await conversations.rename('c', 'Plans')
      expect(await conversations.rename('c', none)).not.toHaveProperty('title')
    }
    await expect(conversations.rename('c', 'x'.repeat(501))).rejects.toMatchObject({
      code: 'validation_error',
    })
    expect(await conversations.summarize('c')).toBe('They spoke.')
    expect(summarize).toHaveBeenCalledWith(expect.objectContaining({ id: 'c' }), undefined)
    await conversations.delete('c')
    for (const call of [
      () => conversations.get('c'),
      () => conversations.rename('c', 'x'),
      () => conversations.summarize('c'),
      () => conversations.delete('c'),
    ]) {
      await expect(call()).rejects.toSatisfy(
        (error: unknown) => RuntimeError.is(error) && error.code === 'not_found',
      )
    }
  })
})
