import { http, HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { channelContext, failureOf, fixture } from '../testing/platform-kit.ts'
import { createSlackChannel } from './create-slack-channel.ts'

const token = 'test-slack-token-0123456789-abcdefgh'
const base = 'https://slack.com/api'
const target = { data: { channel: 'C0CHAN0001', thread_ts: '1767225600.000100' } }
const part = { text: 'Here is *the* status', plain: 'Here is the status' }

const server = setupServer()
beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
afterEach(() => {
  vi.useRealTimers()
  server.resetHandlers()
})
afterAll(() => server.close())

interface Sent {
  readonly headers: Headers
  readonly body: unknown
}
type Reply = () => Response | Promise<Response>

/** Answers the calls of a method one after the other; gives what was sent. */
function answer(method: string, ...replies: readonly Reply[]): Sent[] {
  const sent: Sent[] = []
  server.use(
    http.post(`${base}/${method}`, async ({ request }) => {
      const reply = replies[sent.length] ?? replies.at(-1)
      sent.push({ headers: request.headers, body: await request.clone().json() })
      return reply?.() ?? HttpResponse.error()
    }),
  )
  return sent
}
const json =
  (file: string, init?: ResponseInit): Reply =>
  () =>
    HttpResponse.json(fixture(file), init)
const refusal =
  (error: string): Reply =>
  () =>
    HttpResponse.json({ ok: false, error })

const channel = () => createSlackChannel({ channel_b_bot_token: token }, channelContext())
const send = (signal = new AbortController().signal) =>
  channel().send(target, part, { signal, index: 0, idempotencyKey: 'k' })

describe('send to Slack', () => {
  it('posts in the thread of the question, without previews', async () => {
    const sent = answer('chat.postMessage', json('slack-api-chat-postMessage.json'))
    expect(await send()).toEqual({ id: '1767225601.000400' })
    expect(sent).toHaveLength(1)
    expect(sent[0]?.headers.get('authorization')).toBe(`Bearer ${token}`)
    expect(sent[0]?.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(sent[0]?.body).toEqual({
      channel: 'C0CHAN0001',
      thread_ts: '1767225600.000100',
      text: 'Here is *the* status',
      unfurl_links: false,
      unfurl_media: false,
    })
  })
  it('posts to another address when one is set', async () => {
    const seen = vi.fn<() => void>()
    server.use(
      http.post('http://127.0.0.1:4999/chat.postMessage', () => {
        seen()
        return HttpResponse.json({ ok: true, ts: '1.2' })
      }),
    )
    const context = channelContext({ apiBase: 'http://127.0.0.1:4999/' })
    const { signal } = new AbortController()
    const other = createSlackChannel({ channel_b_bot_token: token }, context)
    expect(await other.send(target, part, { signal, index: 0, idempotencyKey: 'k' })).toEqual({ id: '1.2' })
    expect(seen).toHaveBeenCalledOnce()
  })
  it('waits as long as Slack says', async () => {
    const sent = answer(
      'chat.postMessage',
      json('slack-error-429.json', { status: 429, headers: { 'retry-after': '2' } }),
    )
    expect(await failureOf(send(), [token])).toMatchObject({ code: 'rate_limited', retryAfterMs: 2000 })
    expect(sent).toHaveLength(1)
  })
  it.each([
    ['slack-error-invalid-auth.json', 'auth', 'invalid_auth. Check channel_b_bot_token'],
    ['slack-error-channel-not-found.json', 'gone', 'channel_not_found. The app cannot see the channel'],
    ['slack-error-not-in-channel.json', 'gone', 'not_in_channel. Invite the app'],
    ['slack-error-msg-too-long.json', 'too_long', 'msg_too_long.'],
    ['slack-error-msg-blocks-too-long.json', 'too_long', 'msg_blocks_too_long.'],
  ])('looks at `ok` behind HTTP 200: %s', async (file, code, words) => {
    answer('chat.postMessage', json(file))
    const failure = await failureOf(send(), [token])
    expect(failure.code).toBe(code)
    expect(failure.message).toContain(`Slack chat.postMessage failed: ${words}`)
  })
  it.each([
    ['ratelimited', 'rate_limited'],
    ['is_archived', 'gone'],
    ['token_revoked', 'auth'],
    ['service_unavailable', 'temporary'],
    ['internal_error', 'uncertain'],
    ['fatal_error', 'uncertain'],
    ['no_text', 'permanent'],
    ['restricted_action', 'permanent'],
    ['constructor', 'permanent'],
  ])('maps the error %s to %s', async (error, code) => {
    answer('chat.postMessage', refusal(error))
    expect((await failureOf(send(), [token])).code).toBe(code)
  })
  it('names the scope that is missing', async () => {
    answer('chat.postMessage', () =>
      HttpResponse.json({ ok: false, error: 'missing_scope', needed: 'chat:write' }),
    )
    const { code, message } = await failureOf(send(), [token])
    expect(code).toBe('auth')
    expect(message).toContain('missing_scope (chat:write). Add the scope')
  })
  it.each<[string, Reply, string]>([
    ['HTTP 500', () => new HttpResponse('oops', { status: 500 }), 'uncertain'],
    ['HTTP 503 in JSON', () => HttpResponse.json({ ok: false }, { status: 503 }), 'uncertain'],
    ['a page instead of JSON', () => HttpResponse.html('<h1>Sign in</h1>'), 'uncertain'],
    ['an empty answer', () => new HttpResponse(null, { status: 200 }), 'uncertain'],
    ['JSON without `ok`', () => HttpResponse.json({ ts: '1' }), 'uncertain'],
    ['a page with HTTP 403', () => HttpResponse.html('<h1>Proxy</h1>', { status: 403 }), 'permanent'],
    ['a broken connection', () => HttpResponse.error(), 'uncertain'],
    ['a redirect', () => HttpResponse.redirect('https://elsewhere.example/'), 'permanent'],
    ['429 without a time', () => new HttpResponse('', { status: 429 }), 'rate_limited'],
    [
      'the token, sent back as the error',
      () => HttpResponse.json({ ok: false, error: token, needed: token }),
      'permanent',
    ],
    ['the token as a word', () => HttpResponse.json({ ok: false, error: `x_${token}` }), 'permanent'],
    [
      'the token as a scope',
      () => HttpResponse.json({ ok: false, error: 'missing_scope', needed: token }),
      'auth',
    ],
  ])('calls once and tells no secret after %s', async (_what, reply, code) => {
    const sent = answer('chat.postMessage', reply)
    expect((await failureOf(send(), [token])).code).toBe(code)
    expect(sent).toHaveLength(1)
  })
  it('hides a token that looks like the name of an error', async () => {
    const odd = 'test_token_0123456789_abcdefghijklm'
    answer('chat.postMessage', refusal(`bad_${odd}`))
    const { signal } = new AbortController()
    const call = createSlackChannel({ channel_b_bot_token: odd }, channelContext())
    await failureOf(call.send(target, part, { signal, index: 0, idempotencyKey: 'k' }), [odd])
  })
  it('does not know how it ended when nothing comes back', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const called = Promise.withResolvers<void>()
    answer('chat.postMessage', () => {
      called.resolve()
      return new Promise(() => {})
    })
    const failure = failureOf(send(), [token])
    await called.promise
    vi.advanceTimersByTime(15_000)
    expect((await failure).code).toBe('uncertain')
  })
  it('gives up with the reason of the signal', async () => {
    const stop = new AbortController()
    answer('chat.postMessage', () => {
      stop.abort(new Error('the server stops'))
      return new Promise(() => {})
    })
    await expect(send(stop.signal)).rejects.toThrow('the server stops')
  })
  it('refuses a target that names no channel', async () => {
    const { signal } = new AbortController()
    const call = channel().send({ data: {} }, part, { signal, index: 0, idempotencyKey: 'k' })
    expect((await failureOf(call, [token])).code).toBe('permanent')
  })
})

describe('typing in Slack', () => {
  const { signal } = new AbortController()

  it('shows a status in the thread', async () => {
    const sent = answer('assistant.threads.setStatus', () => HttpResponse.json({ ok: true }))
    await channel().typing?.(target, signal)
    expect(sent[0]?.body).toEqual({
      channel_id: 'C0CHAN0001',
      thread_ts: '1767225600.000100',
      status: 'is thinking…',
    })
  })
  it('shows none without a thread', async () => {
    const sent = answer('assistant.threads.setStatus', () => HttpResponse.json({ ok: true }))
    await channel().typing?.({ data: { channel: 'D0DM000001' } }, signal)
    expect(sent).toHaveLength(0)
  })
  it('is not asked for again where Slack refuses it', async () => {
    const sent = answer('assistant.threads.setStatus', refusal('missing_scope'))
    const { typing } = channel()
    for (let time = 0; time < 3; time += 1) await typing?.(target, signal)
    expect(sent).toHaveLength(1)
  })
  it.each<[string, Reply]>([
    ['ratelimited', refusal('ratelimited')],
    ['HTTP 500', () => new HttpResponse('', { status: 500 })],
    ['a broken connection', () => HttpResponse.error()],
  ])('is asked for again after %s', async (_what, reply) => {
    const sent = answer('assistant.threads.setStatus', reply)
    const { typing } = channel()
    for (let time = 0; time < 2; time += 1) await typing?.(target, signal)
    expect(sent).toHaveLength(2)
  })
})

describe('probe of Slack', () => {
  const { signal } = new AbortController()
  const scopes = 'app_mentions:read,channels:history,chat:write,im:history,users:read'

  it('says who the bot is', async () => {
    answer('auth.test', json('slack-api-auth-test.json', { headers: { 'x-oauth-scopes': scopes } }))
    expect(await channel().probe(signal)).toEqual({ ok: true, identity: '@demo (Demo)', warnings: [] })
  })
  it('is content when Slack does not tell the scopes', async () => {
    answer('auth.test', json('slack-api-auth-test.json'))
    expect(await channel().probe(signal)).toMatchObject({ ok: true, warnings: [] })
  })
  it('names the scopes that are missing', async () => {
    answer(
      'auth.test',
      json('slack-api-auth-test.json', { headers: { 'x-oauth-scopes': 'im:history, users:read' } }),
    )
    const { ok, warnings } = await channel().probe(signal)
    expect(ok).toBe(false)
    expect(warnings).toHaveLength(2)
    expect(warnings.join()).toContain('chat:write is missing: answers cannot be sent')
    expect(warnings.join()).toContain('app_mentions:read is missing')
  })
  it('says that a token is none of a bot', async () => {
    answer('auth.test', () => HttpResponse.json({ ok: true, user: 'eve', team: 'Demo' }))
    const { ok, warnings } = await channel().probe(signal)
    expect(ok).toBe(false)
    expect(warnings[0]).toContain('Bot User OAuth Token')
  })
  it.each<[string, Reply, string]>([
    ['a wrong token', json('slack-error-invalid-auth.json'), 'invalid_auth'],
    ['a broken connection', () => HttpResponse.error(), 'Slack auth.test failed'],
    ['a page instead of JSON', () => HttpResponse.html('<p>no'), 'not a Slack API response'],
    ['a strange shape', () => HttpResponse.json({ ok: true, user: 7 }), 'Checking Slack failed'],
  ])('reports %s and does not throw', async (_what, reply, words) => {
    answer('auth.test', reply)
    const { ok, warnings } = await channel().probe(signal)
    expect(ok).toBe(false)
    expect(warnings.join()).toContain(words)
    expect(warnings.join()).not.toContain(token)
  })
})
