import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { RuntimeOptions, Tool } from '../index.ts'
import { createScriptedModel } from '../testing/scripted-model.ts'
import { createMockChatProvider, createMockResponsesProvider, type MockProvider } from '../testing/index.ts'
import { localWire, lookTool, openWorld, refusalsOf, wires } from './testing/provider-world.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'homeward-answers-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

const { tool } = lookTool()
const sse = (...events: readonly unknown[]) =>
  new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('') + 'data: [DONE]\n\n', {
    headers: { 'content-type': 'text/event-stream' },
  })
const chunk = (delta: object, finish: string | null = null) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
})

/** Gives these answers first, then those of the stand-in; keeps the bodies of all requests. */
function first(standIn: MockProvider, ...answers: readonly (() => Response)[]) {
  const bodies: string[] = []
  const fetch: MockProvider['fetch'] = async (input, init) => {
    bodies.push(await new Request(input, init).text())
    return answers[bodies.length - 1]?.() ?? standIn.fetch(input, init)
  }
  return { fetch, bodies }
}

describe('the API of OpenAI', () => {
  const own = () => createMockResponsesProvider()
  it.each([
    ['openai/gpt-6-sol', {}, 'api.openai.com', '/v1/responses'],
    [
      'openai/gpt-6-sol',
      { OPENAI_BASE_URL: 'https://eu.api.openai.com/v1' },
      'eu.api.openai.com',
      '/v1/responses',
    ],
    ['openai/m', { OPENAI_BASE_URL: 'http://gpu.example/v1' }, 'gpu.example', '/v1/chat/completions'],
    [
      'openai/m',
      { OPENAI_BASE_URL: 'http://gpu.example/v1', OPENAI_API: 'responses' },
      'gpu.example',
      '/v1/responses',
    ],
    ['openai/m', { OPENAI_API: 'chat' }, 'api.openai.com', '/v1/chat/completions'],
    ['openai-chat/m', { OPENAI_API: 'responses' }, 'api.openai.com', '/v1/chat/completions'],
  ])('for %s with %j is the one at %s%s', async (model, environment, host, path) => {
    const standIn = path.endsWith('/responses') ? own() : createMockChatProvider()
    await using world = await openWorld({
      model,
      hosts: { [host]: standIn },
      environment: { OPENAI_API_KEY: 'sk-1', ...environment },
    })
    expect(await world.say('Hi')).toMatchObject({ success: true, output: 'ok' })
    expect(standIn.requests.map((request) => request.path)).toEqual([path])
  })

  it('can be chosen by a setting, and no other word is taken', async () => {
    const standIn = createMockChatProvider()
    const wire = {
      model: 'openai/m',
      hosts: { 'api.openai.com': standIn },
      environment: { OPENAI_API_KEY: 'k' },
    }
    await using world = await openWorld(wire)
    await world.runtime.settings.update({ openai_api: 'chat' })
    expect(await world.say('Hi')).toMatchObject({ success: true })
    await expect(world.runtime.settings.update({ openai_api: 'completions' })).rejects.toMatchObject({
      code: 'validation_error',
    })
  })
})

describe('a server that speaks like OpenAI', () => {
  it.each<[string, object, string]>([
    [
      'a call without an index',
      { tool_calls: [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } }] },
      'done',
    ],
    [
      'a call of no type',
      { tool_calls: [{ index: 0, id: 'a', type: '', function: { name: 'look', arguments: '{}' } }] },
      'done',
    ],
    ['text in parts', { content: [{ type: 'text', text: 'Hi there' }] }, 'Hi there'],
  ])('may send %s', async (_, delta, output) => {
    const { standIn, ...wire } = localWire([{ text: 'done' }])
    const finish = output === 'done' ? 'tool_calls' : 'stop'
    const server = first(standIn, () => sse(chunk(delta), chunk({}, finish)))
    await using world = await openWorld({ ...wire, hosts: { 'gpu.example': server } }, { tools: [tool] })
    expect(await world.say('Look')).toMatchObject({ success: true, output })
    expect(refusalsOf(standIn)).toEqual([])
  })

  it('gets reasoning_content back in a tool loop, and thought signatures', async () => {
    const wire = localWire([{ reasoning: 'Hm.', calls: [{ name: 'look', args: {} }] }, { text: 'done' }], {
      wantsReasoning: true,
    })
    await using world = await openWorld(wire, { tools: [tool] })
    expect(await world.say('Look')).toMatchObject({ success: true, output: 'done' })
    const call = { index: 0, id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } }
    const signed = { ...call, extra_content: { google: { thought_signature: 'SIG==' } } }
    const gemini = createMockChatProvider()
    const server = first(gemini, () => sse(chunk({ tool_calls: [signed] }), chunk({}, 'tool_calls')))
    await using other = await openWorld({ ...wire, hosts: { 'gpu.example': server } }, { tools: [tool] })
    expect(await other.say('Look')).toMatchObject({ success: true })
    expect(server.bodies[1]).toContain('"thought_signature":"SIG=="')
  })

  it('is not said to have a wrong address when it answered JSON', async () => {
    const bodies = [{ error: 'no' }, { choices: 'none' }, [1]]
    for (const body of bodies) {
      for (const answer of [() => Response.json(body), () => sse(body)]) {
        const wire = { ...localWire(), hosts: { 'gpu.example': { fetch: async () => answer() } } }
        await using world = await openWorld(wire)
        const { error } = await world.say('Hi')
        expect(error).not.toContain('base URL')
      }
    }
  })

  it('is said to have broken off when only a part of its answer came', async () => {
    const answer = () => sse({ choices: [{ index: 0, delta: { content: 'Half' }, finish_reason: null }] })
    const wire = { ...localWire(), hosts: { 'gpu.example': { fetch: async () => answer() } } }
    await using world = await openWorld(wire)
    expect(await world.say('Hi')).toMatchObject({
      output: 'Half',
      error: 'Calling the model openai/local failed: the response ended early',
    })
  })
})

describe('OpenRouter', () => {
  const encrypted = {
    type: 'reasoning.encrypted',
    data: 'SIG==',
    id: 'functions.look:0',
    format: 'google-gemini-v1',
    index: 0,
  }
  const call = {
    index: 0,
    id: 'functions.look:0',
    type: 'function',
    function: { name: 'look', arguments: '{}' },
  }
  const thought = (fields: object) => ({
    type: 'reasoning.text',
    format: 'anthropic-claude-v1',
    index: 0,
    ...fields,
  })

  it('gets its reasoning details back unchanged, under the id of their call, also after a restart', async () => {
    const { standIn, ...wire } = wires['OpenRouter']!()
    const asked = () =>
      sse(chunk({ tool_calls: [call], reasoning_details: [encrypted] }), chunk({}, 'tool_calls'))
    const server = first(standIn, asked, asked)
    const hosts = { 'openrouter.ai': server }
    {
      await using world = await openWorld({ ...wire, hosts }, { tools: [tool], home })
      expect(await world.say('Look')).toMatchObject({ success: true, output: 'ok' })
    }
    await using again = await openWorld({ ...wire, hosts }, { tools: [tool], home })
    expect(await again.say('More')).toMatchObject({ success: true })
    const last = JSON.parse(server.bodies.at(-1)!) as {
      messages: { tool_calls?: { id: string }[]; reasoning_details?: object[] }[]
    }
    const answers = last.messages.filter((message) => message.tool_calls)
    expect(answers).toHaveLength(2)
    for (const { tool_calls, reasoning_details } of answers) {
      expect(reasoning_details).toEqual([{ ...encrypted, id: tool_calls?.[0]?.id }])
    }
    expect(refusalsOf(standIn)).toEqual([])
  })

  it('gets signed thoughts back whole that came in pieces, before and after the call', async () => {
    const { standIn, ...wire } = wires['OpenRouter']!()
    const server = first(standIn, () =>
      sse(
        chunk({ reasoning: 'Let ', reasoning_details: [thought({ text: 'Let ' })] }),
        chunk({ reasoning: 'me.', reasoning_details: [thought({ text: 'me.' })] }),
        chunk({ tool_calls: [call] }),
        chunk({ reasoning_details: [thought({ signature: 'signed', text: null })] }),
        chunk({}, 'tool_calls'),
      ),
    )
    await using world = await openWorld({ ...wire, hosts: { 'openrouter.ai': server } }, { tools: [tool] })
    expect(await world.say('Look')).toMatchObject({ success: true, output: 'ok' })
    const { messages } = JSON.parse(server.bodies[1]!) as { messages: { reasoning_details?: object[] }[] }
    const [details] = messages.flatMap(({ reasoning_details }) =>
      reasoning_details ? [reasoning_details] : [],
    )
    expect(details).toEqual([thought({ text: 'Let me.', signature: 'signed' })])
    expect(server.bodies[1]).not.toContain('reasoning_content')
  })
})

describe('an error inside a stream', () => {
  it.each([
    ['OpenRouter', { choices: [], error: { code: 429, message: 'slow down' } }],
    ['OpenRouter', { choices: [], error: { code: 502, message: 'down', metadata: {} } }],
    ['a compatible server', { error: { code: '503', message: 'loading' } }],
    ['Google', { error: { code: 503, message: 'busy', status: 'UNAVAILABLE' } }],
    ['Google', { error: { message: 'busy', status: 'RESOURCE_EXHAUSTED' } }],
    [
      'OpenAI (Responses)',
      { type: 'error', sequence_number: 1, error: { type: 'server_error', code: null, message: 'x' } },
    ],
  ])('of %s that will pass is tried again: %j', async (name, event) => {
    const { standIn, hosts, ...wire } = wires[name]!()
    const server = first(
      standIn,
      () => sse(event),
      () => sse(event),
    )
    const host = Object.keys(hosts)[0]!
    await using world = await openWorld({ ...wire, hosts: { [host]: server } })
    expect(await world.say('Hi')).toMatchObject({ success: true, output: 'ok' })
    expect(server.bodies).toHaveLength(3)
  })

  it('that will not pass is not', async () => {
    const { standIn, ...wire } = wires['OpenRouter']!()
    const server = first(standIn, () => sse({ choices: [], error: { code: 402, message: 'no credit' } }))
    await using world = await openWorld({ ...wire, hosts: { 'openrouter.ai': server } })
    expect(await world.say('Hi')).toMatchObject({
      success: false,
      error: expect.stringContaining('no credit'),
    })
    expect(server.bodies).toHaveLength(1)
  })
})

describe('warnings', () => {
  it('say that a model has no tools, which is used without them from then on', async () => {
    const { standIn, ...wire } = localWire([], { hasNoTools: true })
    const logged: string[] = []
    const logger = { warn: (text: string) => void logged.push(text), error() {} }
    await using world = await openWorld(wire, { tools: [tool], logger })
    const result = await world.say('Hi')
    expect(result).toMatchObject({ success: true, output: 'ok' })
    expect(result.warnings).toEqual([
      'openai/local: The model does not support tools. It was called without them.',
    ])
    expect((await world.say('Again')).warnings).toEqual(result.warnings)
    expect(logged.filter((text) => text === 'A model provider sent a warning')).toHaveLength(1)
    expect(standIn.requests).toHaveLength(4)
  })

  it.each([
    [400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
    [404, 'No endpoints found that support tool use.'],
    [500, 'tools param requires --jinja flag'],
    [400, '`tool calling` is not supported with this model'],
  ])('so for status %i: %s', async (status, message) => {
    const { standIn, ...wire } = localWire()
    const server = first(standIn, () =>
      Response.json({ error: { message, code: status, type: 'x' } }, { status }),
    )
    await using world = await openWorld({ ...wire, hosts: { 'gpu.example': server } }, { tools: [tool] })
    expect(await world.say('Hi')).toMatchObject({
      success: true,
      warnings: [expect.stringContaining('tools')],
    })
    expect(server.bodies).toHaveLength(2)
  })

  it('of the provider come back once, and again after a restart in the middle of the run', async () => {
    const scripted = createScriptedModel([
      { toolCalls: [{ name: 'pay' }] },
      { text: 'done' },
      { text: 'done' },
    ])
    const warnings = [
      { type: 'unsupported', feature: 'topK' },
      { type: 'deprecated', setting: 'name', message: 'Use "id".' },
      { type: 'other', message: 'odd' },
    ] as const
    let isFirst = true
    const model: typeof scripted = {
      ...scripted,
      doStream: async (options) => {
        const answer = await scripted.doStream(options)
        const told = isFirst ? [...warnings, warnings[2]] : []
        isFirst = false
        const warning = new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
          transform: (part, to) =>
            to.enqueue(part.type === 'stream-start' ? { ...part, warnings: told } : part),
        })
        return { ...answer, stream: answer.stream.pipeThrough(warning) }
      },
    }
    const pay: Tool = { ...tool, id: 'pay', effects: 'external', idempotent: false }
    const options: RuntimeOptions = { models: { mine: () => model }, tools: [pay], home }
    const wire = { model: 'mine/m', hosts: {}, environment: {} }
    const expected = [
      'mine/m: "top_k" is not supported.',
      'mine/m: "name" is deprecated. Use "id".',
      'mine/m: odd',
    ]
    let runId: string
    {
      await using world = await openWorld(wire, options, { approval_tools: ['pay'] })
      const waiting = await world.say('Pay')
      expect(waiting).toMatchObject({ stop_reason: 'approval', warnings: expected })
      runId = waiting.run_id
    }
    await using again = await openWorld(wire, options)
    const approvals = (await again.runtime.runs.find(runId))?.approvals ?? []
    await again.runtime.runs.decideApproval(runId, approvals[0]!.id, { decision: 'approve' })
    await expect
      .poll(async () => (await again.runtime.runs.find(runId))?.result)
      .toMatchObject({ success: true, warnings: expected })
    expect(await again.say('Hi')).not.toHaveProperty('warnings')
  })
})
