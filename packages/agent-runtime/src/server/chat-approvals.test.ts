import {
  AbstractChat,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type ChatState,
  type ChatStatus,
  type UIMessage,
} from 'ai'
import { describe, expect, it, vi } from 'vitest'
import type { Tool } from '../ports/tool.ts'
import { createScriptedModel, type ScriptedResponse } from '../testing/scripted-model.ts'
import type { PlatformAuth } from './access/platform-auth.ts'
import { startPlatform, ways, type TestPlatform, type Way } from './testing/start-platform.ts'

const within = { timeout: 60_000 }

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

class PlainChat extends AbstractChat<UIMessage> {
  constructor(platform: TestPlatform, posts: object[], runId = '') {
    super({
      id: 'chat-1',
      state: new PlainState(),
      transport: new DefaultChatTransport({
        api: `${platform.url}/api/agents/run/stream?format=ui`,
        body: { agent_id: 'a' },
        prepareReconnectToStreamRequest: () => ({
          api: `${platform.url}/api/runs/${runId}/events?format=ui`,
        }),
        fetch: (input, init) => {
          if (init?.method === 'POST') posts.push(JSON.parse(init.body as string) as object)
          return platform.fetch((input as string).slice(platform.url.length), init)
        },
      }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    })
  }
}

const calls: object[] = []
const pay: Tool = {
  id: 'pay',
  description: 'Pays.',
  inputSchema: { type: 'object' },
  effects: 'external',
  idempotent: false,
  returnsUntrustedContent: false,
  async execute(args) {
    calls.push(args)
    return 'paid'
  },
}
const payFor = (...amounts: number[]) => ({
  text: 'I pay.',
  toolCalls: amounts.map((amount) => ({ name: 'pay', args: { amount } })),
})

async function startWith(
  way: Way,
  steps: readonly ScriptedResponse[],
  auth: PlatformAuth = { kind: 'none' },
) {
  calls.length = 0
  const model = createScriptedModel(steps)
  const platform = await startPlatform(way, { models: { mine: () => model }, tools: [pay], auth })
  const agent = { id: 'a', model: 'mine/any', approval_tools: ['pay'] }
  await platform.send('POST', '/api/agents', { body: agent })
  const posts: object[] = []
  const chat = new PlainChat(platform, posts)
  const approvals = () =>
    (chat.lastMessage?.parts ?? []).flatMap((part) =>
      part.type === 'dynamic-tool' && part.state === 'approval-requested' ? [part.approval.id] : [],
    )
  const parts = () =>
    chat.lastMessage?.parts.map((part) =>
      part.type === 'text' ? part.text : part.type === 'dynamic-tool' ? part.state : part.type,
    )
  const settled = (text: string) =>
    vi.waitFor(() => {
      expect(chat.status).toBe('ready')
      expect(parts()).toContain(text)
    }, within)
  return {
    platform,
    chat,
    posts,
    approvals,
    parts,
    settled,
    [Symbol.asyncDispose]: () => platform[Symbol.asyncDispose](),
  }
}

describe.each(ways)('A6, A20: approvals of useChat %s', (way) => {
  it('ends the stream where the run waits, and goes on in the same message once the chat has answered', async () => {
    await using kit = await startWith(way, [payFor(1), payFor(2), { text: 'All is paid.' }])
    const { chat, posts, parts } = kit
    await chat.sendMessage({ text: 'Pay' })
    expect(chat.status).toBe('ready')
    const start = ['step-start', 'I pay.']
    expect(parts()).toEqual([...start, 'approval-requested'])
    await chat.addToolApprovalResponse({ id: kit.approvals()[0] ?? '', approved: true })
    await vi.waitFor(() => expect(kit.approvals()).toHaveLength(1), within)
    await vi.waitFor(() => expect(chat.status).toBe('ready'), within)
    expect(parts()).toEqual([...start, 'output-available', ...start, 'approval-requested'])
    const denied = { id: kit.approvals()[0] ?? '', approved: false, reason: 'Enough' }
    await chat.addToolApprovalResponse(denied)
    await kit.settled('All is paid.')
    expect(parts()).toEqual([
      ...start,
      'output-available',
      ...start,
      'output-denied',
      'step-start',
      'All is paid.',
    ])
    expect(JSON.stringify(chat.lastMessage)).toContain('"reason":"Enough"')
    expect(calls).toEqual([{ amount: 1 }])
    // no request more than there were decisions
    expect(posts).toHaveLength(3)
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
    const { body } = await kit.platform.send('GET', `/api/runs/${chat.lastMessage?.id}`)
    expect(body.run).toMatchObject({ status: 'completed', result: { output: 'All is paid.' } })
  })

  it('waits for all decisions of a turn, and takes the same post again without deciding twice', async () => {
    await using kit = await startWith(way, [payFor(1, 2), { text: 'Both are paid.' }])
    await kit.chat.sendMessage({ text: 'Pay' })
    const [first = '', second = ''] = kit.approvals()
    await kit.chat.addToolApprovalResponse({ id: first, approved: true })
    await kit.chat.addToolApprovalResponse({ id: second, approved: true })
    await kit.settled('Both are paid.')
    const again = await kit.platform.send('POST', '/api/agents/run/stream?format=ui', { body: kit.posts[1] })
    expect(again.status).toBe(200)
    expect(again.text).toContain('Both are paid.')
    expect(again.text).not.toContain('tool-approval-request')
    expect(calls).toHaveLength(2)
  })

  it('shows what became of a call that somebody else has decided about', async () => {
    await using kit = await startWith(way, [payFor(1), { text: 'Not paid.' }])
    await kit.chat.sendMessage({ text: 'Pay' })
    const [id = ''] = kit.approvals()
    const path = `/api/runs/${kit.chat.lastMessage?.id}/approvals/${id}`
    await kit.platform.send('POST', path, { body: { decision: 'deny' } })
    await kit.chat.addToolApprovalResponse({ id, approved: true })
    await kit.settled('Not paid.')
    expect(kit.parts()).toContain('output-denied')
    expect(calls).toEqual([])
  })

  it.each<[string, { agent_id?: string; id?: string; approvalId?: string }]>([
    ['of another agent', { agent_id: 'b' }],
    ['of an unknown run', { id: 'nobody' }],
    ['of an unknown call', { approvalId: 'nobody' }],
  ])('rejects a decision %s, and the call still waits', async (_, { agent_id = 'a', ...other }) => {
    await using kit = await startWith(way, [payFor(1)])
    await kit.chat.sendMessage({ text: 'Pay' })
    const { id = '' } = kit.chat.lastMessage ?? {}
    const [known = ''] = kit.approvals()
    const given = { id, approvalId: known, ...other }
    const part = {
      type: 'dynamic-tool',
      state: 'approval-responded',
      approval: { id: given.approvalId, approved: true },
    }
    const messages = [{ id: given.id, role: 'assistant', parts: [part] }]
    const path = '/api/agents/run/stream?format=ui'
    const answer = await kit.platform.send('POST', path, { body: { agent_id, messages } })
    expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
    const { body } = await kit.platform.send('GET', `/api/runs/${id}`)
    expect(body.run.status).toBe('waiting')
  })

  it('decides nothing for a caller who may chat but not approve', async () => {
    const seen: (string | undefined)[] = []
    await using kit = await startWith(way, [payFor(1)], (request) => {
      if (!request.path.includes('/approvals/')) return true
      seen.push(`${request.method} ${request.header('x-caller')}`)
      return false
    })
    await kit.chat.sendMessage({ text: 'Pay' })
    const [id = ''] = kit.approvals()
    const headers = { 'x-caller': 'ann' }
    await kit.chat.addToolApprovalResponse({ id, approved: true, options: { headers } })
    await vi.waitFor(() => expect(kit.chat.status).toBe('error'), within)
    expect(kit.chat.error?.message).toContain('The caller is not allowed.')
    expect(seen).toEqual(['POST ann'])
    const { body } = await kit.platform.send('GET', `/api/runs/${kit.chat.lastMessage?.id}`)
    expect(body.run).toMatchObject({ status: 'waiting', approvals: [{ status: 'pending' }] })
  })

  it('lets a page that was loaded again join the run, and decide there', async () => {
    await using kit = await startWith(way, [payFor(1), { text: 'Paid.' }])
    await kit.chat.sendMessage({ text: 'Pay' })
    const [question] = kit.chat.messages
    const again = new PlainChat(kit.platform, [], kit.chat.lastMessage?.id)
    again.messages = question ? [question] : []
    await again.resumeStream()
    expect(again.messages.map(({ id }) => id)).toEqual(kit.chat.messages.map(({ id }) => id))
    await again.addToolApprovalResponse({ id: kit.approvals()[0] ?? '', approved: true })
    await vi.waitFor(() => expect(JSON.stringify(again.lastMessage)).toContain('Paid.'), within)
    expect(again.messages).toHaveLength(2)
  })
})
