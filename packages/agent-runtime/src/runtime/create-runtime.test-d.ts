import type { LanguageModelV2, LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider'
import {
  isEvent,
  type Agent,
  type JournalEvent,
  type JsonObject,
  type RunEvent,
  type RunResult,
} from '@homeward/contract/agent-platform'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import * as zm from 'zod/mini'
import { createRuntime, type ModelProvider, type Tool } from '../index.ts'
import { createAgentPlatformHandler } from '../server/index.ts'

const runtime = createRuntime()

it('gives the documented resources', () => {
  expectTypeOf(runtime.agents.create({ model: 'test/echo' })).resolves.toEqualTypeOf<Agent>()
  expectTypeOf(runtime.run({ agent_id: 'a', task: 'x' })).resolves.toEqualTypeOf<RunResult>()
  expectTypeOf(runtime.stream({ agent_id: 'a', task: 'x' }))
    .resolves.toHaveProperty('events')
    .toEqualTypeOf<AsyncIterable<RunEvent>>()
})

it('gives the data of a run the type of its schema', async () => {
  const output = z.object({ city: z.string(), at: z.string().transform((text) => new Date(text)) })
  const request = { agent_id: 'a', task: 'x', output }
  type Data = { city: string; at: Date } | undefined
  const { data } = await runtime.run(request)
  expectTypeOf(data).toEqualTypeOf<Data>()
  const { data: streamed } = await (await runtime.stream(request)).result
  expectTypeOf(streamed).toEqualTypeOf<Data>()
  const mini = await runtime.run({ agent_id: 'a', task: 'x', output: zm.object({ ok: zm.boolean() }) })
  expectTypeOf(mini.data).toEqualTypeOf<{ ok: boolean } | undefined>()
  const ark = await runtime.run({ agent_id: 'a', task: 'x', output: type({ n: 'number' }) })
  expectTypeOf(ark.data).toEqualTypeOf<{ n: number } | undefined>()
  const asDate = v.pipe(
    v.string(),
    v.transform((text) => new Date(text)),
  )
  const schema = toStandardJsonSchema(v.object({ at: asDate }))
  const valibot = await runtime.run({ agent_id: 'a', task: 'x', output: schema })
  expectTypeOf(valibot.data).toEqualTypeOf<{ at: Date } | undefined>()
  // @ts-expect-error a JSON Schema is output_schema
  void runtime.run({ agent_id: 'a', task: 'x', output: { type: 'object' } })
  // @ts-expect-error one of the two
  void runtime.run({ agent_id: 'a', task: 'x', output, output_schema: {} })
})

it('knows what is in each event of a stream, and gives the text alone', async () => {
  const { events, text } = await runtime.stream({ agent_id: 'a', task: 'x' })
  expectTypeOf(text).toEqualTypeOf<AsyncIterable<string>>()
  for await (const { event, data } of events) {
    if (event === 'tool_progress')
      expectTypeOf(data).toEqualTypeOf<{ id: string; name: string; text: string }>()
    if (event === 'assistant') expectTypeOf(data).toEqualTypeOf<{ delta: string }>()
  }
})

it('takes the schema of a tool as zod makes it', () => {
  const schema = z.object({ article: z.string() })
  expectTypeOf(z.toJSONSchema(schema, { io: 'input' })).toExtend<Tool['inputSchema']>()
  // @ts-expect-error it would let any arguments pass
  const parameters: Tool['inputSchema'] = schema
  expectTypeOf(parameters).toBeObject()
})

it('takes models of this AI SDK and of the one before', () => {
  expectTypeOf<(id: string) => LanguageModelV4>().toExtend<ModelProvider>()
  expectTypeOf<(id: string) => LanguageModelV3>().toExtend<ModelProvider>()
  expectTypeOf<(id: string) => LanguageModelV2>().not.toExtend<ModelProvider>()
})

it('knows its events', () => {
  runtime.events.on('tool.called', (event) => {
    expectTypeOf(event.type).toEqualTypeOf<'tool.called'>()
    expectTypeOf(event.data).toExtend<JsonObject>()
    expectTypeOf(event.data.call_id).toEqualTypeOf<string>()
    // @ts-expect-error another event has it
    expectTypeOf(event.data.approval_id).toEqualTypeOf<string>()
  })
  const known = {} as JournalEvent
  if (isEvent(known, 'approval.requested')) {
    expectTypeOf(known.type).toEqualTypeOf<'approval.requested'>()
    expectTypeOf(known.data.approval_id).toEqualTypeOf<string>()
  }
  // @ts-expect-error there is no such event
  runtime.events.on('tool.exploded', () => {})
})

it('makes the host choose who may call', () => {
  createAgentPlatformHandler({ runtime, auth: { kind: 'none' } })
  createAgentPlatformHandler({ runtime, auth: { kind: 'token', token: async () => undefined } })
  // @ts-expect-error there is no default
  createAgentPlatformHandler({ runtime })
})

it('takes what an agent is made of, and nothing else', () => {
  void runtime.agents.create({ model: 'test/echo', provider: null, limits: { max_turns: 3 } })
  // @ts-expect-error a model is needed
  void runtime.agents.create({ id: 'a' })
  // @ts-expect-error a list of names
  void runtime.agents.update('a', { skills: 'web' })
})
