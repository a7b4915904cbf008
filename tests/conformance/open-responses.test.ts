import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRuntime, RuntimeError } from '@homeward/agent-runtime'
import { createAgentPlatformHandler } from '@homeward/agent-runtime/server'
import { createScriptedModel, type ScriptedResponse } from '@homeward/agent-runtime/testing'
import { describe, expect, it } from 'vitest'
import { errorBody, responseResource, streamingEvent, type StreamingEvent } from './open-responses-schema.ts'

// The cases of https://www.openresponses.org/compliance, written anew, and those of its text that they leave out.

const token = 'secret-of-the-test'

async function start(...steps: readonly ScriptedResponse[]) {
  const model = createScriptedModel(steps)
  const runtime = createRuntime({ environment: {}, models: { mine: () => model }, retry: { attempts: 0 } })
  await runtime.agents.create({ id: 'helper', model: 'mine/any' })
  const platform = createAgentPlatformHandler({ runtime, auth: { kind: 'token', token } })
  const server = createServer((request, response) => void platform.node(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const post = (body: object) =>
    fetch(`http://127.0.0.1:${port}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ model: 'helper', ...body }),
    })
  return {
    model,
    post,
    async create(body: object) {
      const response = await post(body)
      expect(response.headers.get('content-type')).toContain('application/json')
      return responseResource.parse(await response.json())
    },
    async stream(body: object) {
      const response = await post({ ...body, stream: true })
      expect(response.headers.get('content-type')).toContain('text/event-stream')
      return readEvents(await response.text())
    },
    async [Symbol.asyncDispose]() {
      await runtime.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The events of a stream, each of which has the name of its type; the last one is `[DONE]`. */
function readEvents(text: string): StreamingEvent[] {
  const blocks = text.split('\n\n').filter((block) => block !== '' && !block.startsWith(':'))
  expect(blocks.pop()).toBe('data: [DONE]')
  const events = blocks.map((block) => {
    const [, name, data = ''] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? []
    const event = streamingEvent.parse(JSON.parse(data))
    expect(event.type).toBe(name)
    return event
  })
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index))
  return events
}

const said = (role: string, content: unknown) => ({ type: 'message', role, content })
const tool = {
  type: 'function',
  name: 'get_weather',
  description: 'Get the current weather for a location',
  parameters: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
}
const calls = { toolCalls: [{ name: 'get_weather', args: { location: 'San Francisco, CA' } }] }
const ask = { input: [said('user', "What's the weather like in San Francisco?")], tools: [tool] }
/** A picture of one pixel. */
const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

describe('Open Responses', () => {
  it.each([
    ['a text', 'Say hello in exactly 3 words.'],
    ['a message', [said('user', 'Say hello in exactly 3 words.')]],
    ['a system prompt', [said('system', 'You are a pirate.'), said('user', 'Say hello.')]],
    [
      'a picture',
      [
        said('user', [
          { type: 'input_text', text: 'What is it?' },
          { type: 'input_image', image_url: pixel },
        ]),
      ],
    ],
    [
      'several turns',
      [
        said('user', 'My name is Alice.'),
        said('assistant', [{ type: 'output_text', text: 'Hello Alice!', annotations: [] }]),
        said('user', 'What is my name?'),
      ],
    ],
  ])('answers %s', async (_name, input) => {
    await using server = await start({ text: 'Well hello there.' })
    const response = await server.create({ input })
    expect(response).toMatchObject({
      status: 'completed',
      output: [{ type: 'message', role: 'assistant', content: [{ text: 'Well hello there.' }] }],
    })
    expect(response.completed_at).toBeGreaterThanOrEqual(response.created_at)
  })

  it('returns what the request has set', async () => {
    await using server = await start({ text: 'Hi.' })
    const fields = {
      metadata: { order: '7' },
      instructions: 'Be brief.',
      temperature: 0.5,
      top_p: 0.9,
      max_output_tokens: 100,
      store: false,
      truncation: 'auto',
      prompt_cache_key: 'k',
      safety_identifier: 's',
    }
    expect(await server.create({ input: 'Hi', ...fields })).toMatchObject(fields)
  })

  it('streams text as events', async () => {
    await using server = await start({ text: ['1, 2, ', '3'] })
    const events = await server.stream({ input: [said('user', 'Count from 1 to 3.')] })
    expect(events.map(({ type }) => type.replace('response.', ''))).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ])
    expect(events.at(-1)).toMatchObject({
      response: { status: 'completed', output: [{ content: [{ text: '1, 2, 3' }] }] },
    })
  })

  it('calls a function of the caller, whole and streamed, and reads its output', async () => {
    await using server = await start(calls, { text: 'Foggy.' }, calls, { text: 'Sunny.' })
    const whole = await server.create(ask)
    const outputOf = (id: string) => [{ type: 'function_call_output', call_id: id, output: '14 degrees' }]
    const [call] = whole.output
    if (call?.type !== 'function_call') throw new Error('The response has no call.')
    expect(JSON.parse(call.arguments)).toEqual({ location: 'San Francisco, CA' })
    const stateless = [...ask.input, call, ...outputOf(call.call_id)]
    expect(await server.create({ ...ask, input: stateless })).toMatchObject({
      output: [{ content: [{ text: 'Foggy.' }] }],
    })
    const events = await server.stream(ask)
    expect(events.map(({ type }) => type.replace('response.', ''))).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'function_call_arguments.delta',
      'function_call_arguments.done',
      'output_item.done',
      'completed',
    ])
    expect(events[2]).toMatchObject({ item: { type: 'function_call', name: tool.name, arguments: '' } })
    const last = events.at(-1)
    if (last?.type !== 'response.completed') throw new Error('The stream did not end with the response.')
    const [streamed] = last.response.output
    if (streamed?.type !== 'function_call') throw new Error('The stream has no call.')
    const next = await server.create({
      ...ask,
      previous_response_id: last.response.id,
      input: outputOf(streamed.call_id),
    })
    expect(next).toMatchObject({
      previous_response_id: last.response.id,
      output: [{ content: [{ text: 'Sunny.' }] }],
    })
  })

  it('continues a response with its input and output', async () => {
    await using server = await start({ text: 'Hello Alice!' }, { text: 'Alice.' })
    const first = await server.create({ input: 'My name is Alice.' })
    await server.create({ previous_response_id: first.id, input: 'What is my name?' })
    const prompt = JSON.stringify(server.model.calls[1]?.prompt)
    expect(prompt).toMatch(/My name is Alice.*Hello Alice!.*What is my name/)
  })

  it('chooses tools as the request says', async () => {
    await using server = await start({ text: 'No.' }, calls, calls)
    const choices = ['none', 'required', { type: 'function', name: tool.name }] as const
    for (const tool_choice of choices)
      expect(await server.create({ ...ask, tool_choice })).toMatchObject({ tool_choice })
  })

  it('ends incomplete at the token limit', async () => {
    await using server = await start(
      { text: 'A long', finish: 'length' },
      { text: 'A long', finish: 'length' },
    )
    const incomplete = { status: 'incomplete', completed_at: null, output: [{ status: 'incomplete' }] }
    expect(await server.create({ input: 'Hi' })).toMatchObject(incomplete)
    const events = await server.stream({ input: 'Hi' })
    expect(events.at(-1)).toMatchObject({ type: 'response.incomplete', response: incomplete })
  })

  it('says what went wrong in errors, and at the end of a stream', async () => {
    const failing = { error: new RuntimeError('model_error', 'Calling the model failed: it is down.') }
    await using server = await start(failing)
    const events = await server.stream({ input: 'Hi' })
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'model_error' } },
    })
    const bad = [
      [{ model: 'nobody', input: 'Hi' }, 404, 'model'],
      [{ input: [] }, 400, 'input'],
      [{ input: 'Hi', previous_response_id: 'resp_x' }, 400, 'previous_response_id'],
      [{ input: [{ type: 'function_call_output', call_id: 'x', output: 'y' }] }, 400, 'input'],
    ] as const
    for (const [body, status, param] of bad) {
      const response = await server.post(body)
      const { error } = errorBody.parse(await response.json())
      expect([response.status, error.param, error.type]).toEqual([status, param, 'invalid_request_error'])
    }
  })
})
