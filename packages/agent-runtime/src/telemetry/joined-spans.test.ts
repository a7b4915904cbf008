import { context, type Tracer } from '@opentelemetry/api'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createRuntime, type AgentRuntime, type RuntimeOptions, type Tool } from '../index.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import { startPlatform } from '../server/testing/start-platform.ts'
import { createTestStore } from '../testing/create-test-store.ts'
import { createScriptedModel, type ScriptedResponse } from '../testing/scripted-model.ts'
import { createRunSpans, type RunSpansOptions } from './create-run-spans.ts'
import { createContextManager, idOf, openTracer, parentOf, traceOf } from './testing/open-tracer.ts'

const never = () => new Promise<never>(() => {})
/** A store that outlives the processes of a test. */
const durable = (): RuntimeStore => ({ ...createTestStore(), isDurable: true, async close() {} })
const traceId = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'
const spanId = 'bbbbbbbbbbbbbbbb'
const headers = { traceparent: `00-${traceId}-${spanId}-01` }

const call = (name: string, args: unknown = {}) => ({ toolCalls: [{ name, args }] })
const toolOf = (id: string, execute: Tool['execute']): Tool => ({
  id,
  description: id,
  inputSchema: { type: 'object' },
  effects: 'read',
  returnsUntrustedContent: false,
  execute,
})

interface Opened {
  readonly runtime: AgentRuntime
  readonly tracer: Tracer
}

let telemetry: ReturnType<typeof openTracer>
let opened: { close(): Promise<void> }[] = []
beforeEach(() => {
  telemetry = openTracer()
  context.setGlobalContextManager(createContextManager())
})
afterEach(async () => {
  for (const each of opened.toReversed()) await each.close()
  opened = []
  context.disable()
})

/** A runtime whose model plays these steps for every agent, with spans. */
async function open(
  steps: readonly ScriptedResponse[],
  options: RuntimeOptions = {},
  how: Pick<RunSpansOptions, 'content'> = {},
): Promise<Opened> {
  const runtime = createRuntime({
    environment: {},
    models: { mine: () => createScriptedModel(steps) },
    ...options,
  })
  const { tracer } = telemetry
  const spans = await createRunSpans({ runtime, tracer, ...how })
  opened.push(runtime, spans)
  return { runtime, tracer }
}

/** Does work in a span of the app. */
const within = <T>(tracer: Tracer, name: string, work: () => Promise<T>) =>
  tracer.startActiveSpan(name, async (span) => {
    try {
      return await work()
    } finally {
      span.end()
    }
  })

const named = (name: string) => telemetry.exported().get(name)
const ended = (name: string) => vi.waitFor(() => expect(named(name)).toBeDefined())

describe('spans that join', () => {
  it('belong to the active span, and what a tool does belongs to the span of its call', async () => {
    const query = toolOf('query', async (_, { signal }) =>
      within(telemetry.tracer, 'SELECT', async () => {
        signal.throwIfAborted()
        return (await runtime.run({ agent_id: 'parrot', task: 'below' })).output
      }),
    )
    const { runtime, tracer } = await open([call('query'), { text: 'done' }], { tools: [query] })
    await runtime.agents.create({ id: 'a', model: 'mine/m', tools: ['query'] })
    await runtime.agents.create({ id: 'parrot', model: 'test/echo' })
    await within(tracer, 'POST /chat', () => runtime.run({ agent_id: 'a', task: 'x' }))
    const run = named('invoke_agent a')
    expect(parentOf(run)).toBe(idOf(named('POST /chat')))
    expect(parentOf(named('execute_tool query'))).toBe(idOf(run))
    expect(parentOf(named('SELECT'))).toBe(idOf(named('execute_tool query')))
    expect(parentOf(named('invoke_agent parrot'))).toBe(idOf(named('SELECT')))
    expect(new Set(telemetry.finished().map(traceOf)).size).toBe(1)
    expect(telemetry.finished().filter(({ name }) => name === 'execute_tool query')).toHaveLength(1)
  })

  it.each(['with', 'without'])(
    'belong to the traceparent of a request, %s a context manager',
    async (how) => {
      if (how === 'without') context.disable()
      const { runtime } = await open([
        call('run_agent', { agent_id: 'parrot', task: 'below' }),
        { text: 'done' },
      ])
      await runtime.agents.create({ id: 'a', model: 'mine/m', tools: ['run_agent'] })
      await runtime.agents.create({ id: 'parrot', model: 'test/echo' })
      await using platform = await startPlatform('over HTTP', { runtime })
      const send = (agent_id: string, given: Record<string, string>) =>
        platform.send('POST', '/api/agents/run', { body: { agent_id, task: 'x' }, headers: given })
      expect(await send('a', headers)).toMatchObject({ status: 200 })
      const run = named('invoke_agent a')
      expect([traceOf(run), parentOf(run)]).toEqual([traceId, spanId])
      expect(parentOf(named('invoke_agent parrot'))).toBe(idOf(named('execute_tool run_agent')))
      await send('parrot', { traceparent: '00-nonsense' })
      expect(parentOf(telemetry.finished().at(-1))).toBeUndefined()
    },
  )

  it('of queued work link to the span that queued it', async () => {
    const { runtime } = await open([])
    await runtime.agents.create({ id: 'parrot', model: 'test/echo' })
    await using platform = await startPlatform('in process', { runtime })
    const body = { agent_id: 'parrot', task: 'later' }
    expect(await platform.send('POST', '/api/tasks', { body, headers })).toMatchObject({ status: 202 })
    await ended('task parrot')
    const task = named('task parrot')
    expect(task?.links.map(({ context: { traceId: id, spanId: span } }) => [id, span])).toEqual([
      [traceId, spanId],
    ])
    expect([parentOf(task), traceOf(task) === traceId]).toEqual([undefined, false])
    expect(task?.attributes).toMatchObject({ 'gen_ai.agent.id': 'parrot', 'homeward.task.attempt': 1 })
    await ended('invoke_agent parrot')
    expect(parentOf(named('invoke_agent parrot'))).toBe(idOf(task))
  })

  it('of a graph hold its functions, its agents and its waits', async () => {
    const { runtime, tracer } = await open([])
    await runtime.agents.create({ id: 'parrot', model: 'test/echo' })
    let isUp = false
    await runtime.graphs.put({
      id: 'daily',
      nodes: [
        {
          id: 'load',
          retries: 1,
          run: () =>
            within(tracer, 'GET /prices', async () => {
              if (!isUp) throw new Error('down')
              return 1
            }).finally(() => (isUp = true)),
        },
        { id: 'say', agent: 'parrot' },
        { id: 'hold', wait: { event: 'go' } },
      ],
      edges: [
        { from: 'load', to: 'say' },
        { from: 'say', to: 'hold' },
      ],
    })
    const { run_id: id } = await within(tracer, 'POST /daily', () =>
      runtime.graphs.run({ graph_id: 'daily', input: 'x' }),
    )
    await runtime.runs.signal({ event: 'go', data: 1 })
    await vi.waitFor(async () => expect(await runtime.runs.find(id)).toMatchObject({ status: 'completed' }))
    await ended('invoke_workflow daily')
    const graph = named('invoke_workflow daily')
    expect(parentOf(graph)).toBe(idOf(named('POST /daily')))
    const calls = telemetry.finished().filter(({ name }) => name === 'invoke_function load')
    expect(calls.map(({ attributes }) => attributes['error.type'])).toEqual(['run_error', undefined])
    expect(calls.map(parentOf)).toEqual([idOf(graph), idOf(graph)])
    expect(parentOf(named('GET /prices'))).toBe(idOf(calls[1]))
    expect(parentOf(named('invoke_agent parrot'))).toBe(idOf(graph))
    expect(parentOf(named('wait event'))).toBe(idOf(graph))
    expect(named('wait event')?.attributes).toMatchObject({ 'homeward.wait.status': 'answered' })
    expect(new Set(telemetry.finished().map(traceOf)).size).toBe(1)
  })

  it('go on in the same trace where a run that waited goes on', async () => {
    const store = durable()
    const tool = toolOf('pay', async () => 'paid')
    const steps = [call('pay'), { text: 'done' }]
    const first = await open([steps[0]!], { store, tools: [tool] })
    await first.runtime.agents.create({
      id: 'a',
      model: 'mine/m',
      tools: ['pay'],
      approval_tools: ['pay'],
    })
    const { run_id: id, approvals = [] } = await within(first.tracer, 'POST /chat', () =>
      first.runtime.run({ agent_id: 'a', task: 'x' }),
    )
    for (const each of opened.splice(0)) await each.close()
    expect(named('invoke_agent a')?.attributes).toMatchObject({ 'homeward.run.is_open': true })

    const { runtime } = await open([steps[1]!], { store, tools: [tool] })
    await runtime.runs.decideApproval(id, approvals[0]?.id ?? '', { decision: 'approve' })
    await vi.waitFor(async () => expect(await runtime.runs.find(id)).toMatchObject({ status: 'completed' }))
    const runs = telemetry.finished().filter(({ name }) => name === 'invoke_agent a')
    const caller = named('POST /chat')
    expect(runs.map(parentOf)).toEqual([idOf(caller), idOf(caller)])
    expect(runs.map(traceOf)).toEqual([traceOf(caller), traceOf(caller)])
    expect(parentOf(named('wait approval'))).toBe(idOf(runs[1]))
    expect(named('wait approval')?.attributes).toMatchObject({
      'homeward.wait.status': 'answered',
      'gen_ai.tool.name': 'pay',
    })
  })

  it('go on in the same trace where the process of a run was killed', async () => {
    const store = durable()
    const killed = await open([call('look')], {
      store: { ...store, renewRuns: never },
      tools: [toolOf('look', never)],
    })
    await killed.runtime.agents.create({ id: 'a', model: 'mine/m', tools: ['look'] })
    const { runId } = await within(killed.tracer, 'POST /chat', () =>
      killed.runtime.stream({ agent_id: 'a', task: 'x' }),
    )
    await vi.waitFor(async () => expect(await store.listRunMessages(runId)).toHaveLength(1))
    opened = []

    const look = toolOf('look', async () => 'seen')
    const later = () => Date.now() + 120_000
    const { runtime } = await open([{ text: 'done' }], { store, tools: [look], now: later })
    const handle = await runtime.runs.attach(runId)
    expect(await handle.result).toMatchObject({ success: true })
    const run = named('invoke_agent a')
    expect(parentOf(run)).toBe(idOf(named('POST /chat')))
    expect(parentOf(named('execute_tool look'))).toBe(idOf(run))
  })
})

describe('prompts and answers', () => {
  const messagesOf = (key: string) =>
    JSON.parse(String(named('chat m')?.attributes[key] ?? 'null')) as unknown
  const ask = async (runtime: AgentRuntime) => {
    await runtime.agents.create({ id: 'a', model: 'mine/m', personality: 'You are kind.', tools: ['look'] })
    await runtime.run({ agent_id: 'a', task: 'Is sk-abcdefghijklmnopqrst a key?' })
  }
  const look = toolOf('look', async () => ({ found: 1 }))
  const steps = [call('look', { api_key: 'k-1', q: 'x' }), { text: 'Yes.', reasoning: 'Hm.' }]

  it('are recorded if asked for, without secrets', async () => {
    const { runtime } = await open(steps, { tools: [look] }, { content: true })
    await ask(runtime)
    expect(messagesOf('gen_ai.system_instructions')).toEqual([
      { type: 'text', content: expect.stringContaining('You are kind.') },
    ])
    expect(messagesOf('gen_ai.input.messages')).toEqual([
      { role: 'user', parts: [{ type: 'text', content: 'Is [secret] a key?' }] },
      {
        role: 'assistant',
        parts: [
          { type: 'tool_call', id: 'call-1', name: 'look', arguments: { api_key: '[secret]', q: 'x' } },
        ],
      },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'call-1', response: { found: 1 } }] },
    ])
    expect(messagesOf('gen_ai.output.messages')).toEqual([
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', content: 'Hm.' },
          { type: 'text', content: 'Yes.' },
        ],
        finish_reason: 'stop',
      },
    ])
  })

  it('are recorded as the setting says, and are not by default', async () => {
    const { runtime } = await open([...steps, ...steps], { tools: [look] })
    await ask(runtime)
    expect(messagesOf('gen_ai.input.messages')).toBeNull()
    await runtime.settings.update({ telemetry_content: 'on' })
    await runtime.run({ agent_id: 'a', task: 'Again' })
    expect(messagesOf('gen_ai.output.messages')).not.toBeNull()
  })

  it('are recorded without answers that a guard has yet to check', async () => {
    const guards = { output: () => 'allow' as const }
    const { runtime } = await open(steps, { tools: [look], guards }, { content: true })
    await ask(runtime)
    expect(messagesOf('gen_ai.input.messages')).not.toBeNull()
    expect(messagesOf('gen_ai.output.messages')).toBeNull()
  })
})
