import { AbstractChat, type ChatState, DefaultChatTransport, type UIMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { createScriptedModel, type ScriptedResponse } from '../testing/scripted-model.ts'
import { startPlatform, type TestPlatform, ways } from './testing/start-platform.ts'

/** What `useChat` is made of, without React. */
class Chat extends AbstractChat<UIMessage> {
  constructor(platform: TestPlatform, onError: (error: Error) => void) {
    const state: ChatState<UIMessage> = {
      status: 'ready',
      error: undefined,
      messages: [],
      pushMessage: (message) => void (state.messages = [...state.messages, message]),
      popMessage: () => void (state.messages = state.messages.slice(0, -1)),
      replaceMessage: (index, message) => void (state.messages = state.messages.with(index, message)),
      snapshot: (thing) => structuredClone(thing),
    }
    const transport = new DefaultChatTransport({
      api: `${platform.url}/api/agents/run/stream?format=ui`,
      body: { agent_id: 'a' },
      // the transport of the AI SDK gives a text
      fetch: (input, init) => platform.fetch((input as string).slice(platform.url.length), init),
    })
    super({ id: 'chat', transport, state, onError })
  }
}

describe.each(ways)('A6: regenerate() of useChat %s', (way) => {
  async function open(steps: readonly ScriptedResponse[]) {
    const model = createScriptedModel(steps)
    const platform = await startPlatform(way, { models: { mine: () => model }, retry: { attempts: 0 } })
    await platform.send('POST', '/api/agents', { body: { id: 'a', model: 'mine/any' } })
    const errors: string[] = []
    const chat = new Chat(platform, (error) => errors.push(error.message))
    return {
      chat,
      errors,
      shown: () => chat.messages.map(textOf),
      /** What the model read last, without the system prompt. */
      read: () => model.calls.at(-1)?.prompt.slice(1).map(textOfPrompt),
      get: () => platform.send('GET', '/api/conversations/chat'),
      async kept(): Promise<string[]> {
        const { body } = await platform.send('GET', '/api/conversations/chat')
        return body.messages.map(({ content }: { content: string }) => content)
      },
      [Symbol.asyncDispose]: () => platform[Symbol.asyncDispose](),
    }
  }

  it('keeps the question once, and the model reads it once, with none of the answers before', async () => {
    const time = { toolCalls: [{ name: 'time' }] }
    await using page = await open([
      { text: 'Hello.' },
      time,
      { text: 'Noon.' },
      { text: 'Twelve.' },
      { text: 'Midday.' },
      { text: 'Bye.' },
    ])
    await page.chat.sendMessage({ text: 'Hi' })
    await page.chat.sendMessage({ text: 'What time is it?' })
    await page.chat.regenerate()
    await page.chat.regenerate({ messageId: page.chat.messages.at(-1)?.id ?? '' })
    expect(page.shown()).toEqual(['Hi', 'Hello.', 'What time is it?', 'Midday.'])
    expect(page.read()).toEqual(['Hi', 'Hello.', 'What time is it?'])
    await page.chat.sendMessage({ text: 'Thanks' })
    expect(page.read()).toEqual(['Hi', 'Hello.', 'What time is it?', 'Midday.', 'Thanks'])
    const kept = await page.kept()
    expect(kept.filter((text) => text === 'What time is it?')).toHaveLength(1)
    expect(kept).toEqual(expect.arrayContaining(['Noon.', 'Twelve.', 'Midday.', 'Bye.']))
    expect(page.errors).toEqual([])
  })

  it('answers a question whose first answer failed', async () => {
    await using page = await open([{ error: new Error('down') }, { text: 'Hello.' }])
    await page.chat.sendMessage({ text: 'Hi' })
    expect(page.errors).toHaveLength(1)
    await page.chat.regenerate()
    expect([page.shown(), await page.kept(), page.read()]).toEqual([
      ['Hi', 'Hello.'],
      ['Hi', 'Hello.'],
      ['Hi'],
    ])
  })

  it('stores a message under the id that the page gave it, and replaces it by an edited one', async () => {
    await using page = await open([{ text: 'Hello.' }, { text: 'Hello, Ann.' }])
    await page.chat.sendMessage({ text: 'I am Bob' })
    const [asked] = page.chat.messages
    const { body } = await page.get()
    expect(body.messages[0]).toMatchObject({ id: asked?.id, content: 'I am Bob' })
    await page.chat.sendMessage({ text: 'I am Ann', messageId: asked?.id ?? '' })
    expect(page.errors).toEqual([])
    expect(page.read()).toEqual(['I am Ann'])
    expect(await page.kept()).toEqual(['I am Ann', 'Hello, Ann.'])
  })

  it('of an older answer replaces all that followed it', async () => {
    await using page = await open([{ text: 'Hello.' }, { text: 'Noon.' }, { text: 'Hello again.' }])
    await page.chat.sendMessage({ text: 'Hi' })
    const [, first] = page.chat.messages
    await page.chat.sendMessage({ text: 'What time is it?' })
    await page.chat.regenerate({ messageId: first?.id ?? '' })
    expect(page.errors).toEqual([])
    expect(await page.kept()).toEqual(['Hi', 'Hello again.'])
  })
})

const textOf = ({ parts }: UIMessage) => parts.map((part) => (part.type === 'text' ? part.text : '')).join('')

function textOfPrompt({ content }: { content: unknown }): string {
  const parts = content as readonly { readonly text?: string }[] // no system prompt is left
  return parts.map(({ text = '' }) => text).join('')
}
