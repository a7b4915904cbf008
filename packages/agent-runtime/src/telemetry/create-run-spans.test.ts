import { inspect } from 'node:util'
import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import type { JournalEventType, JsonObject } from '@homeward/contract/agent-platform'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createEventBus } from '../journal/runtime-events.ts'
import { tracingOf, type TracedRun } from '../ports/instrumentation.ts'
import { createRuntime } from '../runtime/create-runtime.ts'
import { createRunSpans, type RunSpansOptions } from './create-run-spans.ts'
import { idOf, openTracer, parentOf } from './testing/open-tracer.ts'

const startMs = Date.parse('2026-01-01T00:00:00.000Z')
const toMs = ([seconds, nanos]: readonly [number, number]) => seconds * 1000 + nanos / 1e6 - startMs
const at = (ms: number) => new Date(startMs + ms).toISOString()

/** A runtime that only tells of its runs. */
async function open() {
  const tracer = openTracer()
  const bus = createEventBus({ warn() {}, error() {} })
  const settings = { read: async () => ({}) } as RunSpansOptions['runtime']['settings']
  const spans = await createRunSpans({ runtime: { events: bus.emitter, settings }, tracer: tracer.tracer })
  return {
    ...tracer,
    spans,
    begin: (atMs: number, id: string, run: Partial<TracedRun> = {}) =>
      tracingOf(bus.emitter).current?.inside(
        { kind: 'run', run: { kind: 'agent', agentId: 'a', createdAt: at(atMs), ...run, id } },
        async () => {},
      ),
    tell: (atMs: number, runId: string, type: JournalEventType, data: JsonObject) =>
      bus.emit([{ type, timestamp: at(atMs), runId, data }]),
  }
}

afterEach(() => {
  vi.doUnmock('@opentelemetry/api')
  vi.resetModules()
})

describe('spans of runs', () => {
  it('A14: follow the GenAI conventions, with the times of the journal', async () => {
    const { begin, tell, spans, exported } = await open()
    const model = 'google/gemini-flash'
    await begin(0, 'r1', { agentId: 'helper', conversationId: 'c1', model })
    const usage = { input_tokens: 10, output_tokens: 5 }
    tell(100, 'r1', 'model.completed', { model, ...usage, finish: 'tool-calls', duration_ms: 80 })
    tell(110, 'r1', 'tool.called', { tool: 'search', call_id: 'k1', args: { q: 'private' } })
    tell(150, 'r1', 'tool.completed', { tool: 'search', call_id: 'k1', ok: true, duration_ms: 40 })
    tell(160, 'r1', 'tool.completed', { tool: 'slow', call_id: 'k2', ok: true, duration_ms: 4 })
    tell(300, 'r1', 'agent.completed', { status: 'completed', stop_reason: 'done', ...usage })
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
    expect(toMs(exported().get('execute_tool slow')!.startTime)).toBe(156)
  })

  it('say that something failed, and hold none of its words', async () => {
    const { begin, tell, spans, exported } = await open()
    const secret = 'sk-private'
    await begin(0, 'r', { model: 'bare' })
    tell(1, 'r', 'tool.called', { tool: 'pay', call_id: 'k', args: { secret } })
    tell(2, 'r', 'tool.completed', { tool: 'pay', call_id: 'k', ok: false, error: secret })
    tell(3, 'r', 'approval.requested', { tool: 'pay', approval_id: 'p', args: secret })
    tell(4, 'r', 'agent.completed', { status: 'failed', stop_reason: 'error', error: secret })
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
    const all = [...exported().values()].map(({ name, attributes, events, status }) => ({
      name,
      attributes,
      events,
      status,
    }))
    expect(inspect(all, { depth: 10 })).not.toContain(secret)
  })

  it('end with the runtime where a run goes on, and are marked', async () => {
    const { begin, tell, spans, exported } = await open()
    await begin(30, 'y', { agentId: 'open' })
    tell(31, 'y', 'tool.called', { tool: 'wait', call_id: 'k' })
    tell(40, 'nobody', 'tool.called', { tool: 'lost', call_id: 'k' })
    await spans.close()
    await spans.close()
    expect(exported().get('invoke_agent open')?.attributes).toMatchObject({ 'homeward.run.is_open': true })
    expect([...exported().keys()].toSorted()).toEqual(['execute_tool wait', 'invoke_agent open'])
  })

  it('are made of a real run, to its end, also when the runtime is closed first', async () => {
    const { tracer, exported } = openTracer()
    const runtime = createRuntime({ environment: {} })
    await runtime.agents.create({ id: 'parrot', model: 'test/echo' })
    const spans = await createRunSpans({ runtime, tracer })
    await expect(createRunSpans({ runtime, tracer })).rejects.toMatchObject({ code: 'conflict' })
    await runtime.run({ agent_id: 'parrot', task: 'hello' })
    await runtime.close()
    await spans.close()
    expect([...exported().keys()]).toEqual(['chat echo', 'invoke_agent parrot'])
  })

  it('name the package that is missing', async () => {
    vi.doMock('@opentelemetry/api', () => {
      throw new Error('Cannot find package')
    })
    vi.resetModules()
    const fresh = await import('./create-run-spans.ts')
    await using runtime = createRuntime({ environment: {} })
    await expect(fresh.createRunSpans({ runtime })).rejects.toMatchObject({
      message: expect.stringContaining('npm install @opentelemetry/api'),
    })
  })
})
