import {
  AbstractChat,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithToolCalls,
  type ChatState,
  type ChatStatus,
  type UIMessage,
} from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { toolOf } from '../../runs/testing/run-kit.ts'
import { createScriptedModel, type ScriptedResponse } from '../../testing/scripted-model.ts'
import { startPlatform, ways, type TestPlatform, type Way } from '../testing/start-platform.ts'

const within = { timeout: 60_000 }
const client_tools = [{ name: 'pick', parameters: { type: 'object', required: ['kind'] } }]

/** The state of `useChat`, without React. */
class PlainState implements ChatState<UIMessage> {
  status: ChatStatus = 'ready'
  error: Error | undefined
  messages: UIMessage[] = []
  pushMessage = (message: UIMessage) => void this.messages.push(message)
  popMessage = () => void this.messages.pop()
  replaceMessage = (index: number, message: UIMessage) => void (this.messages[index] = message)
  snapshot = <T>(thing: T): T => structuredClone(thing)
}

type Picked = (input: unknown) => { readonly output: unknown } | { readonly errorText: string } | undefined

/** A page whose tool `pick` runs at once. */
class PageChat extends AbstractChat<UIMessage> {
  readonly asked: unknown[] = []

  constructor(platform: TestPlatform, posts: object[], picked: Picked) {
    super({
      id: 'c1',
      state: new PlainState(),
      transport: new DefaultChatTransport({
        api: `${platform.url}/api/chat/a`,
        body: { client_tools },
        fetch: (input, init) => {
          if (init?.method === 'POST') posts.push(JSON.parse(init.body as string) as object)
          return platform.fetch((input as string).slice(platform.url.length), init)
        },
      }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
      onToolCall: ({ toolCall: { toolCallId, toolName, input, dynamic } }) => {
        this.asked.push({ toolName, input, dynamic })
        const result = picked(input)
        const call = { tool: 'pick', toolCallId }
        // as the SDK asks: without waiting for it here
        if (result && 'output' in result) void this.addToolOutput({ ...call, output: result.output })
        else if (result) void this.addToolOutput({ ...call, state: 'output-error', ...result })
      },
    })
  }
}

const pick = (id: string, args: object) => ({ id, name: 'pick', args: args as { kind?: string } })

async function start(way: Way, steps: readonly ScriptedResponse[], picked: Picked) {
  const looked = vi.fn(() => 'seen')
  const model = createScriptedModel(steps)
  const platform = await startPlatform(way, {
    models: { mine: () => model },
    tools: [toolOf('look', looked)],
  })
  await platform.runtime.agents.create({ id: 'a', model: 'mine/any' })
  const posts: object[] = []
  const chat = new PageChat(platform, posts, picked)
  const parts = () =>
    chat.lastMessage?.parts.map((part) =>
      part.type === 'text' ? part.text : 'toolCallId' in part ? `${part.type} ${part.state}` : part.type,
    )
  return {
    platform,
    model,
    chat,
    posts,
    looked,
    parts,
    settled: (text: string) =>
      vi.waitFor(() => {
        expect(chat.status).toBe('ready')
        expect(parts()).toContain(text)
      }, within),
    [Symbol.asyncDispose]: () => platform[Symbol.asyncDispose](),
  }
}

describe.each(ways)('tools of the page in useChat %s', (way) => {
  it('are run by the page, and the run continues with what they gave, in the same message', async () => {
    const look = { id: 'k0', name: 'look', args: {} }
    const steps = [
      { text: 'Which?', toolCalls: [look, pick('k1', { kind: 'pdf' })] },
      { toolCalls: [pick('k1', { kind: 'png' })] },
      { text: 'Done.' },
    ]
    await using kit = await start(way, steps, (input) => ({ output: { name: 'a', input } }))
    await kit.chat.sendMessage({ text: 'Pick' })
    await kit.settled('Done.')
    expect(kit.parts()).toEqual([
      'step-start',
      'Which?',
      'dynamic-tool output-available',
      'tool-pick output-available',
      'step-start',
      'tool-pick output-available',
      'step-start',
      'Done.',
    ])
    expect(kit.chat.asked).toEqual([
      { toolName: 'pick', input: { kind: 'pdf' }, dynamic: undefined },
      { toolName: 'pick', input: { kind: 'png' }, dynamic: undefined },
    ])
    expect(kit.looked).toHaveBeenCalledOnce()
    expect(kit.posts).toHaveLength(3)
    expect(JSON.stringify(kit.model.calls[1]?.prompt)).toContain('"kind":"pdf"')
    const shown = await kit.platform.send('GET', '/api/conversations/c1?format=ui')
    const stored = (shown.body.messages as UIMessage[]).at(-1)
    const withoutMetadata = ({ parts }: UIMessage) => JSON.parse(JSON.stringify(parts)) as unknown
    expect(stored && withoutMetadata(stored)).toMatchObject(
      kit.chat.lastMessage!.parts.map((part) => ('toolCallId' in part ? { type: part.type } : {})),
    )
  })

  it('may fail, and may be called several times in a turn', async () => {
    const steps = [
      { toolCalls: [pick('k1', { kind: 'pdf' }), pick('k2', { kind: 'png' })] },
      { text: 'Done.' },
    ]
    await using kit = await start(way, steps, (input) =>
      JSON.stringify(input).includes('pdf') ? { errorText: 'No file' } : { output: 'b.png' },
    )
    await kit.chat.sendMessage({ text: 'Pick' })
    await kit.settled('Done.')
    expect(kit.parts()?.slice(0, 3)).toEqual([
      'step-start',
      'tool-pick output-error',
      'tool-pick output-available',
    ])
    const prompt = JSON.stringify(kit.model.calls[1]?.prompt)
    expect(prompt).toMatch(/No file.*b\.png/)
    expect(kit.posts).toHaveLength(2)
  })

  it('are not asked for a call whose arguments do not match', async () => {
    const steps = [
      { toolCalls: [pick('k1', {})] },
      { toolCalls: [pick('k2', { kind: 'pdf' })] },
      { text: 'Done.' },
    ]
    await using kit = await start(way, steps, () => ({ output: 'a.pdf' }))
    await kit.chat.sendMessage({ text: 'Pick' })
    await kit.settled('Done.')
    expect(kit.posts).toHaveLength(2)
    expect(kit.model.calls).toHaveLength(3)
  })

  it('wait for the page after a reload, and for nobody else', async () => {
    await using kit = await start(
      way,
      [{ toolCalls: [pick('k1', { kind: 'pdf' })] }, { text: 'Done.' }],
      () => undefined,
    )
    await kit.chat.sendMessage({ text: 'Pick' })
    await vi.waitFor(() => expect(kit.chat.status).toBe('ready'), within)
    const { body } = await kit.platform.send('GET', '/api/conversations/c1?format=ui')
    const messages = body.messages as UIMessage[]
    const part = messages.at(-1)?.parts.find(({ type }) => type === 'tool-pick')
    expect(part).toMatchObject({ state: 'input-available', input: { kind: 'pdf' } })
    expect(part).not.toHaveProperty('providerExecuted')
    await kit.platform.runtime.agents.create({ id: 'b', model: 'mine/any' })
    const answer = { ...messages.at(-1)!, parts: [{ ...part, state: 'output-available', output: 'x' }] }
    const post = (path: string, message: object) =>
      kit.platform.send('POST', path, { body: { id: 'c1', messages: [message], client_tools } })
    expect((await post('/api/chat/b', answer)).status).toBe(404)
    const strange = { ...answer, parts: [{ ...answer.parts[0], toolCallId: 'other' }] }
    expect((await post('/api/chat/a', strange)).status).toBe(404)
    kit.chat.messages = messages
    const { toolCallId } = part as unknown as { toolCallId: string }
    await kit.chat.addToolOutput({ tool: 'pick', toolCallId, output: 'a.pdf' })
    await kit.settled('Done.')
    expect(kit.posts).toHaveLength(2)
  })
})
