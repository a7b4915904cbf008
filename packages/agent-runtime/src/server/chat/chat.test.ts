import {
  AbstractChat,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  validateUIMessages,
  type ChatState,
  type ChatStatus,
  type UIMessage,
} from 'ai'
import { expect, it, vi } from 'vitest'
import * as z from 'zod'
import { createGate } from '../../runs/testing/run-kit.ts'
import { defineAgent, defineTool } from '../../index.ts'
import { createScriptedModel, type ScriptedResponse } from '../../testing/scripted-model.ts'
import { startPlatform, type TestPlatform } from '../testing/start-platform.ts'

/** The state of `useChat`, without React. */
class PlainState implements ChatState<UIMessage> {
  status: ChatStatus = 'ready'
  error: Error | undefined
  messages: UIMessage[]
  constructor(messages: UIMessage[] = []) {
    this.messages = messages
  }
  pushMessage = (message: UIMessage) => void this.messages.push(message)
  popMessage = () => void this.messages.pop()
  replaceMessage = (index: number, message: UIMessage) => void (this.messages[index] = message)
  snapshot = <T>(thing: T): T => structuredClone(thing)
}

/** What `useChat({ id, resume, transport: new DefaultChatTransport({ api: '/api/chat/support' }) })` is made of. */
class PlainChat extends AbstractChat<UIMessage> {
  constructor(platform: TestPlatform, messages?: UIMessage[], id = 'chat-1') {
    super({
      id,
      state: new PlainState(messages),
      transport: new DefaultChatTransport({
        api: `${platform.url}/api/chat/support`,
        fetch: (input, init) => platform.fetch((input as string).slice(platform.url.length), init),
      }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    })
  }
}

const weather = defineTool({
  id: 'weather',
  description: 'Tells the weather.',
  inputSchema: z.object({ city: z.string() }),
  effects: 'read',
  returnsUntrustedContent: false,
  async execute({ city }, { writeData }) {
    writeData('weather', { city, loading: true }, { id: city })
    writeData('note', 'only now', { transient: true })
    writeData('weather', { city, celsius: 21 }, { id: city })
    return { celsius: 21 }
  },
})
const pay = defineTool({
  id: 'pay',
  description: 'Pays.',
  inputSchema: z.object({}),
  effects: 'external',
  returnsUntrustedContent: false,
  needsApproval: () => true,
  execute: async () => 'paid',
})

async function start(steps: readonly ScriptedResponse[]) {
  const model = createScriptedModel(steps)
  const platform = await startPlatform('over HTTP', { models: { mine: () => model } })
  const { runtime } = platform
  await runtime.agents.put(
    defineAgent({ id: 'support', model: 'mine/any', tools: [weather, pay, 'memory_search'] }),
  )
  const load = async (query = ''): Promise<{ messages: UIMessage[]; active_run_id?: string }> =>
    (await platform.send('GET', `/api/conversations/chat-1?format=ui${query}`)).body
  return { platform, runtime, model, load, [Symbol.asyncDispose]: () => platform[Symbol.asyncDispose]() }
}

const callOf = (name: string, args: object, id: string) => ({ toolCalls: [{ name, args, id }] })

/** What a page shows of messages, without what the two ways may differ in. */
const shown = (messages: readonly UIMessage[]) =>
  messages.map(({ role, id, parts }) => ({
    role,
    id,
    parts: parts.map(
      (part) => JSON.parse(JSON.stringify({ ...part, providerMetadata: undefined })) as object,
    ),
  }))

it('a page that loads a chat shows what the page that made it shows, under the same ids', async () => {
  await using world = await start([
    { reasoning: 'Hm.', ...callOf('weather', { city: 'Paris' }, 'c1') },
    { text: 'It is warm.' },
    { text: 'You are welcome.' },
  ])
  const chat = new PlainChat(world.platform)
  await chat.sendMessage({ text: 'Weather in Paris?' })
  await chat.sendMessage({ text: 'Thanks' })
  const { messages } = await world.load()
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
  expect(messages.map(({ id }) => id).slice(1, 2)).toEqual(chat.messages.map(({ id }) => id).slice(1, 2))
  expect(shown(messages.filter(({ role }) => role === 'assistant'))).toEqual(
    shown(chat.messages.filter(({ role }) => role === 'assistant')),
  )
  const parts = messages[1]?.parts ?? []
  expect(parts).toContainEqual(
    expect.objectContaining({ type: 'tool-weather', state: 'output-available', input: { city: 'Paris' } }),
  )
  expect(parts.filter(({ type }) => type.startsWith('data-'))).toEqual([
    { type: 'data-weather', id: 'Paris', data: { city: 'Paris', celsius: 21 } },
  ])
  expect(JSON.stringify(messages)).not.toContain('Hm.')
  expect(JSON.stringify(await world.load('&reasoning=true'))).toContain('Hm.')
  await expect(validateUIMessages({ messages })).resolves.toBeDefined()
})

it('shows data that is not stored to pages that are open', async () => {
  await using world = await start([callOf('weather', { city: 'Paris' }, 'c1'), { text: 'Warm.' }])
  const reply = await world.platform.send('POST', '/api/chat/support', {
    body: { id: 'chat-1', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }] },
  })
  expect(reply.text).toContain('{"type":"data-note","transient":true,"data":"only now"}')
  expect(await world.load().then(JSON.stringify)).not.toContain('only now')
})

it('calls of built-in tools are dynamic', async () => {
  await using world = await start([callOf('memory_search', { query: 'x' }, 'c1'), { text: 'Nothing.' }])
  const chat = new PlainChat(world.platform)
  await chat.sendMessage({ text: 'Search' })
  expect(chat.messages[1]?.parts).toContainEqual(
    expect.objectContaining({ type: 'dynamic-tool', toolName: 'memory_search', state: 'output-available' }),
  )
})

it.each([true, false])(
  'a call that waits is there after a reload, and can be decided (%s)',
  async (approved) => {
    await using world = await start([callOf('pay', {}, 'c1'), { text: 'Understood.' }])
    await new PlainChat(world.platform).sendMessage({ text: 'Pay' })
    const { messages, active_run_id } = await world.load()
    expect(messages.at(-1)?.id).toBe(active_run_id)
    await expect(validateUIMessages({ messages })).resolves.toBeDefined()
    const chat = new PlainChat(world.platform, messages)
    await chat.resumeStream()
    const asked = chat.messages.at(-1)?.parts.find(({ type }) => type === 'tool-pay')
    expect(asked).toMatchObject({ state: 'approval-requested' })
    expect(chat.messages).toHaveLength(2)
    const { id } = (asked as unknown as { approval: { id: string } }).approval
    await chat.addToolApprovalResponse({ id, approved, ...(!approved && { reason: 'Too much' }) })
    await vi.waitFor(() => expect(chat.status).toBe('ready'))
    await vi.waitFor(() => expect(JSON.stringify(chat.messages)).toContain('Understood.'))
    const { messages: after } = await world.load()
    const state = approved ? 'output-available' : 'output-denied'
    const decision = { approved, ...(!approved && { reason: 'Too much' }) }
    for (const known of [chat.messages, after])
      expect(known.at(-1)?.parts).toContainEqual(
        expect.objectContaining({ type: 'tool-pay', state, approval: expect.objectContaining(decision) }),
      )
    await expect(validateUIMessages({ messages: after })).resolves.toBeDefined()
  },
)

it('a page that opens in the middle of an answer shows it, and continues it once', async () => {
  const gate = createGate()
  await using world = await start([
    { text: 'Let me see. ', ...callOf('weather', { city: 'Paris' }, 'c1') },
    { text: 'It is warm.', gate: gate.wait },
  ])
  const first = new PlainChat(world.platform)
  const sending = first.sendMessage({ text: 'Weather?' })
  await vi.waitFor(async () => expect(JSON.stringify(await world.load())).toContain('output-available'))
  const { messages } = await world.load()
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  const second = new PlainChat(world.platform, messages)
  const resuming = second.resumeStream()
  await vi.waitFor(() => expect(second.status).toBe('streaming'))
  gate.open()
  await Promise.all([sending, resuming])
  expect(second.messages).toHaveLength(2)
  expect(shown(second.messages.slice(1))).toEqual(shown(first.messages.slice(1)))
  await second.resumeStream() // 204
  expect(second.status).toBe('ready')
})

it('says 204 for what does not run, and for conversations of others', async () => {
  await using world = await start([{ text: 'Hello.' }])
  const get = (path: string) => world.platform.send('GET', path)
  await new PlainChat(world.platform).sendMessage({ text: 'Hi' })
  expect((await get('/api/chat/support/chat-1/stream')).status).toBe(204)
  expect((await get('/api/chat/support/unknown/stream')).status).toBe(204)
  expect((await get('/api/chat/other/chat-1/stream')).status).toBe(204)
})

it.each([
  ['DELETE', '/api/chat/support/chat-1/stream'],
  ['POST', '/api/conversations/chat-1/cancel'],
])('%s %s stops what runs, and nothing else', async (method, path) => {
  const gate = createGate()
  await using world = await start([{ text: 'Hello.', gate: gate.wait }])
  const sending = new PlainChat(world.platform).sendMessage({ text: 'Hi' })
  await vi.waitFor(async () => expect((await world.runtime.runs.list()).runs).toHaveLength(1))
  expect(await world.platform.send('DELETE', '/api/chat/other/chat-1/stream')).toMatchObject({ status: 404 })
  expect((await world.platform.send(method, path)).body).toEqual({ ok: true })
  const [run] = (await world.runtime.runs.list()).runs
  expect(run?.status).toBe('cancelled')
  await sending
  expect((await world.platform.send(method, path)).body).toEqual({ ok: true })
  gate.open()
})

it('an edited message takes the place of the old one and of all that follow', async () => {
  await using world = await start(['One.', 'Two.', 'Edited.'].map((text) => ({ text })))
  const chat = new PlainChat(world.platform)
  await chat.sendMessage({ text: 'First' })
  await chat.sendMessage({ text: 'Second' })
  const { messages: before } = await world.load()
  await chat.sendMessage({ text: 'First, but better', messageId: before[0]?.id ?? '' })
  const { messages } = await world.load()
  expect(messages.map(textOf)).toEqual(['First, but better', 'Edited.'])
  expect(messages[0]?.id).toBe(before[0]?.id)
  expect(JSON.stringify(world.model.calls.at(-1)?.prompt)).not.toMatch(/One|Second/)
  const unknown = new PlainChat(world.platform, [{ ...messages[0]!, id: 'gone' }])
  await unknown.sendMessage({ text: 'Nothing', messageId: 'gone' })
  expect(unknown.error?.message).toContain('has no message of the user with this id')
  expect((await world.load()).messages).toHaveLength(2)
})

it('an edit cancels the answer that runs', async () => {
  const gate = createGate()
  await using world = await start([{ text: 'Slow.', gate: gate.wait }, { text: 'Fast.' }])
  const chat = new PlainChat(world.platform)
  void chat.sendMessage({ text: 'First' })
  await vi.waitFor(() => expect(world.model.calls).toHaveLength(1))
  const { messages } = await world.load()
  const other = new PlainChat(world.platform, messages)
  await other.sendMessage({ text: 'Better', messageId: messages[0]?.id ?? '' })
  expect((await world.load()).messages.map(textOf)).toEqual(['Better', 'Fast.'])
  expect((await world.runtime.runs.list()).runs.map(({ status }) => status).toSorted()).toEqual([
    'cancelled',
    'completed',
  ])
  gate.open()
})

it.each([
  ['the newest answer', -1, ['First', 'One.', 'Second', 'Again.']],
  ['an earlier answer', 1, ['First', 'Again.']],
])('%s can be given again, and only the new one is shown', async (_, at, expected) => {
  await using world = await start(['One.', 'Two.', 'Again.'].map((text) => ({ text })))
  const chat = new PlainChat(world.platform)
  await chat.sendMessage({ text: 'First' })
  await chat.sendMessage({ text: 'Second' })
  const messageId = chat.messages.at(at)?.id ?? ''
  await chat.regenerate({ messageId })
  expect(chat.error).toBeUndefined()
  expect((await world.load()).messages.map(textOf)).toEqual(expected)
})

function textOf({ parts }: UIMessage): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
}
