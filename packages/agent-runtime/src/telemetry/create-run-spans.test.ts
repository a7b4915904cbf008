import { inspect } from 'node:util'
import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base'
import type { JournalEventType, JsonObject } from '@homeward/contract/agent-platform'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createRuntime } from '../runtime/create-runtime.ts'
import { createTestStore } from '../testing/create-test-store.ts'
import { createLogs } from '../journal/create-logs.ts'
import { createRunSpans, type RunSpansOptions } from './create-run-spans.ts'

const startMs = Date.parse('2026-01-01T00:00:00.000Z')
const toMs = ([seconds, nanos]: readonly [number, number]) => seconds * 1000 + nanos / 1e6 - startMs

async function open(options: Partial<RunSpansOptions> = {}) {
  const store = createTestStore()
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const tracer = provider.getTracer('test')
  const logs = createLogs({ store, logger: { warn() {}, error() {} } })
  const append = (atMs: number, runId: string, type: JournalEventType, data: JsonObject) =>
    store.appendEvents([{ type, timestamp: new Date(startMs + atMs).toISOString(), runId, data }])
  return {
    store,
    append,
    logs,
    exporter,
    spansOf: async () => createRunSpans({ runtime: { logs }, tracer, ...options }),
    /** What was exported, by name. */
    exported: () => new Map(exporter.getFinishedSpans().map((span) => [span.name, span])),
  }
}

const parentOf = (span: ReadableSpan | undefined) => span?.parentSpanContext?.spanId
const idOf = (span: ReadableSpan | undefined) => span?.spanContext().spanId

afterEach(() => {
  vi.doUnmock('@opentelemetry/api')
  vi.resetModules()
})

describe('spans of runs', () => {
  it('A14: follow the GenAI conventions, with the times of the journal', async () => {
    const { append, spansOf, exported } = await open()
    const spans = await spansOf()
    const agent = { agent_id: 'helper' }
    const started = { ...agent, conversation_id: 'c1', model: 'google/gemini-flash', task: 'a private task' }
    await append(0, 'r1', 'agent.started', started)
    const model = {
      ...agent,
      model: 'google/gemini-flash',
      input_tokens: 10,
      output_tokens: 5,
      finish: 'tool-calls',
    }
    await append(100, 'r1', 'model.completed', { ...model, duration_ms: 80 })
    await append(110, 'r1', 'tool.called', {
      ...agent,
      tool: 'search',
      call_id: 'k1',
      args: { q: 'private' },
    })
    await append(150, 'r1', 'tool.completed', {
      ...agent,
      tool: 'search',
      call_id: 'k1',
      ok: true,
      duration_ms: 40,
    })
    const end = { status: 'completed', stop_reason: 'done', input_tokens: 10, output_tokens: 5 }
    await append(300, 'r1', 'agent.completed', { ...agent, ...end })
    await spans.close()

    const run = exported().get('invoke_agent helper')
    expect(run).toMatchObject({
      kind: SpanKind.INTERNAL,
      status: { code: SpanStatusCode.UNSET },
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.id': 'helper',
        'gen_ai.agent.name': 'helper',
        'gen_ai.conversation.id': 'c1',
        'gen_ai.provider.name': 'gcp.gemini',
        'gen_ai.request.model': 'gemini-flash',
        'gen_ai.usage.input_tokens': 10,
        'gen_ai.usage.output_tokens': 5,
        'homeward.run.id': 'r1',
        'homeward.run.status': 'completed',
        'homeward.run.stop_reason': 'done',
      },
    })
    expect([toMs(run!.startTime), toMs(run!.endTime), parentOf(run)]).toEqual([0, 300, undefined])
    const chat = exported().get('chat gemini-flash')
    expect(chat).toMatchObject({
      kind: SpanKind.CLIENT,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'gcp.gemini',
        'gen_ai.request.model': 'gemini-flash',
        'gen_ai.usage.input_tokens': 10,
        'gen_ai.usage.output_tokens': 5,
        'gen_ai.response.finish_reasons': ['tool-calls'],
      },
    })
    expect([toMs(chat!.startTime), toMs(chat!.endTime), parentOf(chat)]).toEqual([20, 100, idOf(run)])
    const tool = exported().get('execute_tool search')
    expect(tool).toMatchObject({
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'search',
        'gen_ai.tool.call.id': 'k1',
        'gen_ai.tool.type': 'function',
      },
    })
    expect([toMs(tool!.startTime), toMs(tool!.endTime), parentOf(tool)]).toEqual([110, 150, idOf(run)])
  })

  it('stand below the run that asked for them, and below the call that did', async () => {
    const { append, spansOf, exported } = await open()
    const spans = await spansOf()
    await append(0, 'g', 'graph.started', { graph_id: 'daily' })
    await append(1, 'p', 'agent.started', { agent_id: 'lead', parent_run_id: 'g' })
    await append(2, 'p', 'tool.called', { tool: 'run_agent', call_id: 'k' })
    await append(3, 'c', 'agent.started', { agent_id: 'child', parent_run_id: 'p' })
    await append(4, 'c', 'agent.completed', { status: 'completed' })
    await append(5, 'p', 'tool.completed', { tool: 'run_agent', call_id: 'k', ok: true })
    await append(6, 'q', 'agent.started', { agent_id: 'other', parent_run_id: 'p' })
    await append(7, 'q', 'agent.completed', { status: 'completed' })
    await append(8, 'p', 'agent.completed', { status: 'completed' })
    await append(9, 'g', 'graph.completed', { graph_id: 'daily', success: true, status: 'completed' })
    await spans.close()
    const graph = exported().get('invoke_workflow daily')
    expect(graph?.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_workflow',
      'gen_ai.workflow.name': 'daily',
    })
    const lead = exported().get('invoke_agent lead')
    expect(parentOf(lead)).toBe(idOf(graph))
    expect(parentOf(exported().get('invoke_agent child'))).toBe(
      idOf(exported().get('execute_tool run_agent')),
    )
    expect(parentOf(exported().get('invoke_agent other'))).toBe(idOf(lead))
    expect(new Set([...exported().values()].map((span) => span.spanContext().traceId)).size).toBe(1)
  })

  it('say that something failed, and hold none of its words', async () => {
    const { append, spansOf, exported, exporter } = await open()
    const spans = await spansOf()
    const secret = 'sk-private'
    await append(0, 'r', 'agent.started', {
      agent_id: 'a',
      task: secret,
      conversation_id: 'c',
      model: 'bare',
    })
    await append(1, 'r', 'tool.called', { tool: 'pay', call_id: 'k', args: { secret } })
    await append(2, 'r', 'tool.completed', { tool: 'pay', call_id: 'k', ok: false, error: secret })
    await append(3, 'r', 'approval.requested', { tool: 'pay', approval_id: 'p', args: secret })
    await append(4, 'r', 'agent.completed', { status: 'failed', stop_reason: 'error', error: secret })
    await spans.close()
    const error = { code: SpanStatusCode.ERROR }
    const run = exported().get('invoke_agent a')
    expect(run).toMatchObject({
      status: error,
      attributes: { 'error.type': 'error', 'gen_ai.request.model': 'bare' },
    })
    expect(run?.events.map(({ name }) => name)).toEqual(['approval.requested'])
    expect(exported().get('execute_tool pay')).toMatchObject({
      status: error,
      attributes: { 'error.type': 'tool_error' },
    })
    const all = exporter.getFinishedSpans().map(({ name, attributes, events, status }) => ({
      name,
      attributes,
      events,
      status,
    }))
    expect(inspect(all, { depth: 10 })).not.toContain(secret)
  })

  it('of a run that began before are found, and those of one that goes on are ended and marked', async () => {
    const { append, spansOf, exported } = await open()
    await append(0, 'r', 'agent.started', { agent_id: 'early' })
    await append(5, 'x', 'agent.started', { agent_id: 'silent' })
    const spans = await spansOf()
    await append(10, 'r', 'tool.completed', { tool: 'slow', call_id: 'k', ok: true, duration_ms: 4 })
    await append(20, 'r', 'agent.completed', { status: 'completed' })
    await append(30, 'y', 'agent.started', { agent_id: 'open' })
    await append(31, 'y', 'tool.called', { tool: 'wait', call_id: 'k' })
    await append(40, 'nobody', 'tool.called', { tool: 'lost', call_id: 'k' })
    await spans.close()
    await spans.close()
    const early = exported().get('invoke_agent early')
    expect([toMs(early!.startTime), toMs(early!.endTime)]).toEqual([0, 20])
    expect(toMs(exported().get('execute_tool slow')!.startTime)).toBe(6)
    expect(exported().get('invoke_agent open')?.attributes).toMatchObject({ 'homeward.run.is_open': true })
    expect([...exported().keys()].toSorted()).toEqual([
      'execute_tool slow',
      'execute_tool wait',
      'invoke_agent early',
      'invoke_agent open',
    ])
  })

  it('are made of a real run, to its end, also when the runtime is closed first', async () => {
    const exporter = new InMemorySpanExporter()
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
    const runtime = createRuntime({ environment: {} })
    await runtime.agents.create({ id: 'parrot', model: 'test/echo' })
    const onError = vi.fn()
    const spans = await createRunSpans({ runtime, tracer: provider.getTracer('test'), onError })
    await runtime.run({ agent_id: 'parrot', task: 'hello' })
    await runtime.close()
    await spans.close()
    const names = exporter.getFinishedSpans().map(({ name }) => name)
    expect(names).toEqual(['chat echo', 'invoke_agent parrot'])
    expect(onError).not.toHaveBeenCalled()
  })

  it('name the package that is missing', async () => {
    vi.doMock('@opentelemetry/api', () => {
      throw new Error('Cannot find package')
    })
    vi.resetModules()
    const fresh = await import('./create-run-spans.ts')
    const { logs } = await open()
    await expect(fresh.createRunSpans({ runtime: { logs } })).rejects.toMatchObject({
      message: expect.stringContaining('npm install @opentelemetry/api'),
    })
  })
})
