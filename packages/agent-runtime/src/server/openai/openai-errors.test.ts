import { describe, expect, it } from 'vitest'
import { startPlatform, ways, type TestPlatformOptions, type Way } from '../testing/start-platform.ts'

async function start(way: Way, options: TestPlatformOptions = {}) {
  const platform = await startPlatform(way, options)
  await platform.runtime.agents.create({ id: 'parrot', model: 'test/echo' })
  return platform
}

const user = { role: 'user', content: 'Hello' }
const chat = { model: 'parrot', messages: [user] }
const response = { model: 'parrot', input: 'Hello' }
const tool = { type: 'function', function: { name: 'f' } }

describe.each(ways)('errors below /v1 %s', (way) => {
  it('have the shape of the OpenAI API, whoever finds them', async () => {
    await using platform = await start(way, {
      auth: { kind: 'token', token: 'secret' },
    })
    const headers = { authorization: 'Bearer secret' }
    const send = async (method: string, path: string, options = {}) => {
      const answer = await platform.send(method, path, { headers, ...options })
      expect(answer.headers.get('content-type')).toContain('application/json')
      expect(answer.body).toEqual({
        error: {
          message: expect.any(String),
          type: expect.any(String),
          param: answer.body.error.param,
          code: answer.body.error.code,
        },
      })
      const { type, param, code } = answer.body.error
      return [answer.status, type, param, code]
    }
    const kind = 'invalid_request_error'
    const post = '/v1/chat/completions'
    expect(await send('GET', '/v1/models', { headers: {} })).toEqual([401, kind, null, 'invalid_api_key'])
    const foreign = { ...headers, origin: 'https://evil.example' }
    expect(await send('GET', '/v1/models', { headers: foreign })).toEqual([403, kind, null, 'forbidden'])
    expect(await send('GET', '/v1')).toEqual([404, kind, null, 'unknown_url'])
    expect(await send('POST', '/v1/images', { body: {} })).toEqual([404, kind, null, 'unknown_url'])
    expect(await send('GET', '/v1/models/nobody')).toEqual([404, kind, 'model', 'model_not_found'])
    expect(await send('GET', post)).toEqual([405, kind, null, 'method_not_supported'])
    const large = { body: { ...chat, user: 'x'.repeat(33 * 1024 * 1024) } }
    expect(await send('POST', post, large)).toEqual([413, kind, null, 'request_too_large'])
    const plain = { body: 'x', headers: { ...headers, 'content-type': 'text/plain' } }
    expect(await send('POST', post, plain)).toEqual([415, kind, null, 'unsupported_media_type'])
    const broken = { body: '{', headers: { ...headers, 'content-type': 'application/json' } }
    expect(await send('POST', post, broken)).toEqual([400, kind, null, null])
    expect(await send('POST', post, { body: { model: 'parrot' } })).toEqual([400, kind, 'messages', null])
  })

  it('reject a message that does not fit into the context window', async () => {
    await using platform = await start(way)
    await platform.runtime.agents.update('parrot', { context: { window_tokens: 4096 } })
    const body = { model: 'parrot', messages: [{ role: 'user', content: 'word '.repeat(10_000) }] }
    const { status, body: answer } = await platform.send('POST', '/v1/chat/completions', { body })
    expect([status, answer.error]).toEqual([
      400,
      expect.objectContaining({ type: 'invalid_request_error', code: null }),
    ])
    expect(answer.error.message).toContain('4,096 tokens')
  })

  it.each([
    ['tools[0]', { ...chat, tools: [{}] }, 'must be {"type": "function"'],
    ['tools', { ...chat, tools: [{ type: 'function', function: { name: 'a b' } }] }, 'letters, digits'],
    ['tool_choice', { ...chat, tools: [], tool_choice: 'any' }, 'must be "auto"'],
    ['functions', { ...chat, functions: [{}] }, 'Use "tools"'],
    ['n', { ...chat, n: 2 }, 'only 1 choice'],
    [
      'response_format',
      {
        ...chat,
        response_format: { type: 'json_schema', json_schema: { schema: { title: 'x'.repeat(70_000) } } },
      },
      'at most 65536 characters',
    ],
    [
      'messages',
      { ...chat, messages: [user, { role: 'assistant', content: 'x' }] },
      'must have the role "user"',
    ],
    [
      'messages',
      { ...chat, messages: [user, { role: 'system', content: 'x' }] },
      'must have the role "user"',
    ],
    ['messages[0]', { ...chat, messages: [{ role: 'user', content: ' ' }] }, 'has no text'],
    ['messages[0].role', { ...chat, messages: [{ role: 'narrator', content: 'x' }, user] }, 'not a role'],
    [
      'messages[0].content[1]',
      {
        ...chat,
        messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }, { type: 'video_url' }] }],
      },
      '"video_url" are not supported',
    ],
  ])('reject %s of a chat completion that an agent cannot serve (%#)', async (param, body, reason) => {
    await using platform = await start(way)
    const answer = await platform.send('POST', '/v1/chat/completions', { body })
    expect(answer.status).toBe(400)
    expect(answer.body.error).toMatchObject({ type: 'invalid_request_error', param })
    expect(answer.body.error.message).toContain(reason)
    expect((await platform.runtime.runs.list()).runs).toEqual([])
  })

  it.each([
    ['previous_response_id', { ...response, previous_response_id: 'resp_1' }, "'resp_1' not found"],
    ['conversation', { ...response, conversation: 'conv_1' }, 'X-Homeward-Conversation'],
    ['background', { ...response, background: true }, '/api/tasks'],
    ['tools[0]', { ...response, tools: [tool] }, 'An agent has other tools'],
    [
      'input[0]',
      { ...response, input: [{ type: 'item_reference', id: 'msg_x' }] },
      'not of a stored response',
    ],
    ['input[0]', { ...response, input: [{ type: 'item_reference' }] }, 'not of a stored response'],
    ['input', { ...response, input: [{ type: 'function_call_output', call_id: 'x' }] }, 'call_id "x"'],
    ['input[0]', { ...response, input: [{ type: 'web_search_call' }] }, 'function calls and their outputs'],
    ['input', { ...response, input: [{ role: 'assistant', content: 'x' }] }, 'must have the role "user"'],
  ])('reject %s of a response that an agent cannot serve (%#)', async (param, body, reason) => {
    await using platform = await start(way)
    const answer = await platform.send('POST', '/v1/responses', { body })
    expect([answer.status, answer.body.error.param]).toEqual([400, param])
    expect(answer.body.error.message).toContain(reason)
  })

  it('are not made by fields that do no harm', async () => {
    await using platform = await start(way)
    const harmless = { store: true, tools: [], n: null, user: null, unknown: {}, parallel_tool_calls: true }
    const completion = await platform.send('POST', '/v1/chat/completions', { body: { ...chat, ...harmless } })
    expect(completion.status).toBe(200)
    const whole = await platform.send('POST', '/v1/responses', {
      body: { ...response, ...harmless, background: false, previous_response_id: null, include: [] },
    })
    expect(whole.body).toMatchObject({ store: true, status: 'completed' })
  })
})
