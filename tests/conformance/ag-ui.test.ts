import { createScriptedModel, type ScriptedResponse } from '@homeward/agent-runtime/testing'
import { describe, expect, it, vi } from 'vitest'
import { toolOf } from '../../packages/agent-runtime/src/runs/testing/run-kit.ts'
import {
  startPlatform,
  type TestPlatformOptions,
} from '../../packages/agent-runtime/src/server/testing/start-platform.ts'
import { HttpAgent, type Finished, type Parameters } from './ag-ui-client.ts'

const tools = [{ name: 'pick', description: 'Picks.', parameters: { type: 'object', required: ['kind'] } }]
const pick = (id: string, kind: string) => ({ id, name: 'pick', args: { kind } })

async function start(
  steps: readonly ScriptedResponse[],
  { agent = {}, ...options }: TestPlatformOptions & { agent?: object } = {},
) {
  const looked = vi.fn(() => 'seen')
  const paid = vi.fn((args: object) => `paid ${JSON.stringify(args)}`)
  const pay = toolOf('pay', paid, { effects: 'external', returnsUntrustedContent: false })
  const model = createScriptedModel(steps)
  const platform = await startPlatform('over HTTP', {
    models: { mine: () => model },
    tools: [toolOf('look', looked), pay],
    retry: { attempts: 0 },
    ...options,
  })
  await platform.runtime.agents.create({ id: 'a', model: 'mine/any', ...agent })
  const client = new HttpAgent({ url: `${platform.url}/agui/a`, threadId: 't1' })
  const events: { readonly type: string }[] = []
  /** Runs the agent, and gives how the run finished. */
  async function run(parameters: Parameters = {}) {
    events.length = 0
    const ends: Finished[] = []
    const errors: unknown[] = []
    await client.runAgent(
      { tools, ...parameters },
      {
        onEvent: ({ event }) => void events.push(event),
        onRunFinishedEvent: (end) => void ends.push(end),
        onRunErrorEvent: ({ event }) => void errors.push(event),
      },
    )
    return { end: ends[0], error: errors[0], types: events.map(({ type }) => type) }
  }
  const say = (content: string) => client.addMessage({ id: crypto.randomUUID(), role: 'user', content })
  const texts = () =>
    client.messages.map(({ role, content }) => `${role}: ${typeof content === 'string' ? content : ''}`)
  return Object.assign(platform, { model, client, run, say, texts, looked, paid })
}

describe('the official client of AG-UI', () => {
  it('runs an agent, whose conversation is stored under the id of the thread', async () => {
    const steps = [
      { text: 'Let me look.', toolCalls: [{ id: 'k1', name: 'look', args: {} }] },
      { text: ['It is', ' there.'] },
      { text: 'Ann.' },
    ]
    await using platform = await start(steps)
    platform.say('Where? I am Ann.')
    const { end, types } = await platform.run({ context: [{ description: 'Page', value: 'Home' }] })
    expect(end).toMatchObject({ outcome: 'success', result: { output: 'It is there.' } })
    expect(types).toEqual([
      'RUN_STARTED',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'TOOL_CALL_START',
      'TOOL_CALL_ARGS',
      'TOOL_CALL_END',
      'TOOL_CALL_RESULT',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'RUN_FINISHED',
    ])
    expect(platform.texts()).toContain('tool: seen')
    expect(JSON.stringify(platform.model.calls[0]?.prompt[0])).toContain('Page: Home')
    platform.say('Who am I?')
    await platform.run()
    expect(platform.texts().at(-1)).toBe('assistant: Ann.')
    const { messages } = await platform.runtime.conversations.get('t1')
    expect(messages.filter(({ role }) => role === 'user')).toHaveLength(2)
    expect(JSON.stringify(platform.model.calls[2]?.prompt)).toContain('I am Ann.')
  })

  it('runs its own tools: the run ends with success, and the outputs continue it', async () => {
    const look = { id: 'k0', name: 'look', args: {} }
    const steps = [
      { text: 'Which?', toolCalls: [look, pick('k1', 'pdf'), pick('k2', 'png')] },
      { text: 'Done.' },
    ]
    await using platform = await start(steps)
    platform.say('Pick')
    const first = await platform.run()
    if (first.end?.outcome !== 'success') throw new Error('The run did not end with success.')
    const { pendingToolCallIds: pending } = first.end
    expect(pending).toHaveLength(2)
    const answers = [{ content: 'a.pdf' }, { content: 'No file', error: 'No file' }]
    for (const [index, toolCallId] of pending.entries())
      platform.client.addMessage({ id: `m${index}`, role: 'tool', toolCallId, ...answers[index]! })
    const second = await platform.run()
    expect(second.end).toMatchObject({ outcome: 'success', pendingToolCallIds: [] })
    expect(second.types).toEqual([
      'RUN_STARTED',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'RUN_FINISHED',
    ])
    expect(platform.texts().at(-1)).toBe('assistant: Done.')
    expect(JSON.stringify(platform.model.calls[1]?.prompt)).toMatch(/a\.pdf.*No file/)
    expect(platform.looked).toHaveBeenCalledOnce()
    expect((await platform.runtime.runs.list()).runs).toMatchObject([{ status: 'completed' }])
  })

  it('goes on with another message when the user does not want the tools', async () => {
    await using platform = await start([{ toolCalls: [pick('k1', 'pdf')] }, { text: 'Fine.' }])
    platform.say('Pick')
    await platform.run()
    platform.say('Never mind.')
    expect((await platform.run()).end).toMatchObject({ outcome: 'success' })
    expect(platform.texts().at(-1)).toBe('assistant: Fine.')
  })

  it.each([
    [{ approved: true }, 'paid {"amount":1}'],
    [{ approved: true, editedArgs: { amount: 2 } }, 'paid {"amount":2}'],
    [{ approved: false, reason: 'Too much' }, 'The call was denied.'],
  ])('decides about a call with %j', async (payload, result) => {
    const call = { toolCalls: [{ id: 'k1', name: 'pay', args: { amount: 1 } }] }
    await using platform = await start([call, { text: 'Done.' }], { agent: { approval_tools: ['pay'] } })
    platform.say('Pay')
    const { end } = await platform.run()
    if (end?.outcome !== 'interrupt') throw new Error('The run did not end with an interrupt.')
    const [interrupt] = end.interrupts
    expect(interrupt).toMatchObject({ reason: 'tool_call', metadata: { tool: 'pay', args: { amount: 1 } } })
    expect(interrupt?.toolCallId).toBe(interrupt?.id)
    const resume = [{ interruptId: interrupt!.id, status: 'resolved' as const, payload }]
    const { types } = await platform.run({ resume })
    expect(types.slice(0, 2)).toEqual(['RUN_STARTED', 'TOOL_CALL_RESULT'])
    expect(platform.texts()).toContain(`tool: ${result}`)
    expect(platform.texts().at(-1)).toBe('assistant: Done.')
  })

  it('answers questions, all at once, or declines to', async () => {
    const ask = (id: string, message: string) => ({ id, name: 'ask_user', args: { message } })
    await using platform = await start(
      [{ toolCalls: [ask('k1', 'Which color?'), ask('k2', 'Why?')] }, { text: 'Done.' }],
      {
        agent: { ask_user: true },
      },
    )
    platform.say('Paint')
    const { end } = await platform.run()
    if (end?.outcome !== 'interrupt') throw new Error('The run did not end with an interrupt.')
    expect(end.interrupts).toMatchObject([
      { reason: 'input_required', message: 'Which color?', responseSchema: { type: 'string' } },
      { reason: 'input_required', message: 'Why?' },
    ])
    const [color, why] = end.interrupts.map(({ id }) => id)
    const post = (body: object) =>
      platform.send('POST', '/agui/a', { body: { threadId: 't1', runId: 'r', messages: [], ...body } })
    const blue = { interruptId: color!, status: 'resolved' as const, payload: 'blue' }
    const none = { interruptId: why!, status: 'cancelled' as const }
    const said = { messages: [{ id: 'm', role: 'user', content: 'Hello?' }] }
    expect((await post(said)).status).toBe(409)
    for (const resume of [
      [blue],
      [{ ...blue, payload: 7 }, none],
      [blue, none, { ...none, interruptId: 'x' }],
    ]) {
      const { status, text } = await post({ resume })
      expect([status, text]).toEqual([200, expect.stringContaining('"RUN_ERROR"')])
    }
    await platform.run({ resume: [blue, none] })
    expect(platform.texts().at(-1)).toBe('assistant: Done.')
    expect(JSON.stringify(platform.model.calls[1]?.prompt)).toMatch(/blue.*declined to answer/)
  })

  it('is told of errors, and stops its run by going away', async () => {
    await using platform = await start([{ text: 'Half', hang: true }])
    const { client } = platform
    platform.say('Hi')
    const stopped = platform.run()
    await expect.poll(() => platform.model.calls.length).toBe(1)
    client.abortRun()
    await stopped.catch(() => {})
    const runs = async () => (await platform.runtime.runs.list()).runs.map(({ status }) => status)
    await expect.poll(runs).toEqual(['cancelled'])
    const bad: [object, number][] = [
      [{ messages: [] }, 400],
      [{ messages: [{ role: 'assistant', content: 'x' }] }, 400],
      [{ messages: [{ role: 'user', content: 'x' }], tools: [{ name: 'look' }] }, 400],
    ]
    for (const [body, status] of bad) {
      const answer = await platform.send('POST', '/agui/a', { body: { threadId: 't2', runId: 'r', ...body } })
      expect([answer.status, answer.body.code]).toEqual([status, 'validation_error'])
    }
    const messages = [{ role: 'user', content: 'x' }]
    const unknown = await platform.send('POST', '/agui/nobody', {
      body: { threadId: 't2', runId: 'r', messages },
    })
    expect(unknown.status).toBe(404)
  })
})
