import { expect, it } from 'vitest'
import { toolOf } from '../../runs/testing/run-kit.ts'
import { createScriptedModel, type ScriptedResponse } from '../../testing/scripted-model.ts'
import { startPlatform, type TestPlatformOptions } from '../testing/start-platform.ts'

// What the official client makes of the events is in tests/conformance/ag-ui.test.ts.

interface Event {
  readonly type: string
  readonly outcome?: {
    readonly pendingToolCallIds?: readonly string[]
    readonly interrupts?: readonly { readonly id: string }[]
  }
}

async function start(steps: readonly ScriptedResponse[], options: TestPlatformOptions = {}) {
  const model = createScriptedModel(steps)
  const pay = toolOf('pay', () => 'paid', { effects: 'external', returnsUntrustedContent: false })
  const platform = await startPlatform('in process', {
    models: { mine: () => model },
    tools: [pay],
    retry: { attempts: 0 },
    ...options,
  })
  await platform.runtime.agents.create({ id: 'a', model: 'mine/any', approval_tools: ['pay'] })
  const post = (body: object, headers = {}) =>
    platform.send('POST', '/agui/a', {
      body: { threadId: 't1', runId: 'r1', messages: [], ...body },
      headers,
    })
  const run = async (body: object, headers = {}) => {
    const { status, text } = await post(body, headers)
    expect([status, text]).toEqual([200, expect.any(String)])
    return text
      .split('\n\n')
      .flatMap((block) => (block.startsWith('data: ') ? [JSON.parse(block.slice(6)) as Event] : []))
  }
  return Object.assign(platform, { model, post, run })
}

const said = (content: unknown, id = 'm1') => ({ id, role: 'user', content })
const tools = [{ name: 'pick', description: 'Picks.', parameters: { type: 'object' } }]

it('tells a run as events of AG-UI, and does the same message again in its place', async () => {
  await using platform = await start([{ error: new Error('down') }, { text: ['Hel', 'lo.'] }])
  const picture = { type: 'image', source: { type: 'data', value: btoa('x'), mimeType: 'text/plain' } }
  const body = { messages: [said([{ type: 'text', text: 'Hi' }, picture])] }
  expect((await platform.run(body)).at(-1)).toMatchObject({ type: 'RUN_ERROR' })
  const events = await platform.run(body)
  expect(events.map(({ type }) => type)).toEqual([
    'RUN_STARTED',
    'TEXT_MESSAGE_START',
    'TEXT_MESSAGE_CONTENT',
    'TEXT_MESSAGE_CONTENT',
    'TEXT_MESSAGE_END',
    'RUN_FINISHED',
  ])
  expect(events[0]).toEqual({ type: 'RUN_STARTED', threadId: 't1', runId: 'r1' })
  expect(events.at(-1)).toMatchObject({ result: { output: 'Hello.' }, outcome: { type: 'success' } })
  const { messages } = await platform.runtime.conversations.get('t1')
  expect(messages.filter(({ role }) => role === 'user')).toHaveLength(1)
})

it('continues with outputs of tools, and with answers to interrupts', async () => {
  const calls = {
    toolCalls: [
      { id: 'k1', name: 'pick', args: {} },
      { id: 'k2', name: 'pay', args: {} },
    ],
  }
  await using platform = await start([
    calls,
    { toolCalls: [{ id: 'k1', name: 'pick', args: {} }] },
    { text: 'Done.' },
  ])
  const both = (await platform.run({ messages: [said('Go')], tools })).at(-1)?.outcome
  const [interrupt] = both?.interrupts ?? []
  const first = (await platform.runtime.runs.list()).runs[0]?.waits.find(({ kind }) => kind === 'client_tool')
  const outputOf = (toolCallId = '') => ({ id: 'o', role: 'tool', toolCallId, content: 'a.pdf' })
  const resume = [{ interruptId: interrupt?.id, status: 'resolved', payload: { approved: true } }]
  const partly = await platform.run({ messages: [outputOf(first?.id)] })
  expect(partly.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'conflict' })
  const next = (await platform.run({ messages: [outputOf(first?.id)], resume })).at(-1)?.outcome
  expect(next?.pendingToolCallIds).toHaveLength(1)
  const last = await platform.run({ messages: [outputOf(next?.pendingToolCallIds?.[0])] })
  expect(last.at(-1)).toMatchObject({ result: { output: 'Done.' }, outcome: { type: 'success' } })
  const late = await platform.run({ messages: [outputOf(first?.id)] })
  expect(late.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'not_found' })
})

it('keeps the threads of users apart, and approvals to those who may approve', async () => {
  const apiToken = 'correct-horse-battery-staple'
  const call = { toolCalls: [{ id: 'k1', name: 'pay', args: {} }] }
  await using platform = await start([call, { text: 'Hi Bob.' }], {
    auth: { kind: 'settings' },
    environment: { API_TOKEN: apiToken },
  })
  const tokenOf = async (user_id: string) => {
    const { secret } = await platform.runtime.tokens.create({ name: user_id, scopes: ['run'], user_id })
    return { authorization: `Bearer ${secret}` }
  }
  const [ann, bob] = [await tokenOf('ann'), await tokenOf('bob')]
  const asked = (await platform.run({ messages: [said('Pay')] }, ann)).at(-1)?.outcome
  const resume = [
    { interruptId: asked?.interrupts?.[0]?.id, status: 'resolved', payload: { approved: true } },
  ]
  for (const [headers, code] of [
    [bob, 'not_found'],
    [ann, 'forbidden'],
  ] as const)
    expect((await platform.run({ resume }, headers)).at(-1)).toMatchObject({ type: 'RUN_ERROR', code })
  expect((await platform.run({ messages: [said('Hi')] }, bob)).at(-1)).toMatchObject({
    result: { output: 'Hi Bob.' },
    threadId: 't1',
  })
})
