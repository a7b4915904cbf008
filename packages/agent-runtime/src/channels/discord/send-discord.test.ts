import { HttpResponse } from 'msw'
import { describe, expect, it, vi } from 'vitest'
import { failureOf } from '../testing/platform-kit.ts'
import { until } from '../testing/until.ts'
import {
  answer,
  botToken,
  channelAfter,
  isWaiting,
  json,
  kept,
  message,
  part,
  refusal,
  secrets,
  stopTimers,
  target,
  urls,
  useDiscord,
  type Reply,
  type Sent,
} from './testing/discord-server.ts'

useDiscord()

/** Sends a part of an answer, some seconds after the question. */
function send(index = 0, seconds = 0, signal = new AbortController().signal) {
  return channelAfter(seconds).send(target, part, { signal, index, idempotencyKey: `m1:${index}` })
}
/** Lets a pause pass: one call more only when it is over. */
async function pass(delayMs: number, sent: readonly Sent[]): Promise<void> {
  const before = sent.length
  await until(() => isWaiting(delayMs))
  vi.advanceTimersByTime(delayMs - 1)
  await new Promise((resolve) => {
    setImmediate(resolve)
  })
  expect(sent).toHaveLength(before)
  vi.advanceTimersByTime(1)
  await until(() => sent.length === before + 1)
}
const id = { id: '1456074443980900000' }
const apology = { content: 'The answer cannot be shown here.', allowed_mentions: { parse: [] } }

describe('the first part of an answer', () => {
  it('takes the place of "thinking…", calls nobody, and needs no token of the bot', async () => {
    const sent = answer('patch', urls.original, kept)
    expect(await send()).toEqual(id)
    expect(sent).toHaveLength(1)
    expect(sent[0]?.body).toEqual(message)
    expect(sent[0]?.headers.get('authorization')).toBeNull()
    expect(sent[0]?.headers.get('user-agent')).toMatch(/^DiscordBot \(/)
  })
  it.each<[string, Reply]>([
    ['an unknown webhook', refusal(404, 10015)],
    ['an unknown message', refusal(404, 10008)],
    ['404 and a page', () => HttpResponse.html('<p>Not found', { status: 404 })],
  ])('waits 0.3, 1 and 3 s for our own reply, which it has overtaken: %s', async (_what, reply) => {
    stopTimers()
    const sent = answer('patch', urls.original, reply, reply, reply, kept)
    const sending = send()
    await until(() => sent.length === 1)
    for (const delayMs of [300, 1000, 3000]) await pass(delayMs, sent)
    expect(await sending).toEqual(id)
  })
  it.each<[string, Reply]>([
    ['an unknown webhook', refusal(404, 10_015)],
    ['an unknown message', refusal(404, 10_008)],
    ['404 and a page', () => HttpResponse.html('<p>Not found', { status: 404 })],
  ])('is posted to the channel when the reply never comes up: %s', async (_what, reply) => {
    stopTimers()
    const sent = answer('patch', urls.original, reply)
    const posted = answer('post', urls.channel, kept)
    const sending = send()
    await until(() => sent.length === 1)
    for (const delayMs of [300, 1000, 3000]) await pass(delayMs, sent)
    expect(await sending).toEqual(id)
    expect(sent).toHaveLength(4)
    expect(posted).toHaveLength(1)
  })
  it.each<[string, Reply]>([
    ['HTTP 502', () => HttpResponse.html('<h1>Bad gateway', { status: 502 })],
    ['a broken connection', () => HttpResponse.error()],
    ['a page with HTTP 200', () => HttpResponse.html('<h1>Sign in')],
  ])('is edited once more after %s: it stays one message', async (_what, reply) => {
    stopTimers()
    const sent = answer('patch', urls.original, reply, kept)
    const sending = send()
    await until(() => sent.length === 1)
    await pass(1000, sent)
    expect(await sending).toEqual(id)
    expect(sent.map(({ body }) => body)).toEqual([message, message])
  })
  it.each([
    [0, 'temporary'],
    [599, 'temporary'],
    // a try after the fifteen minutes would post a second message
    [600, 'uncertain'],
  ])('may be tried again later %i s after the question: %s', async (seconds, code) => {
    stopTimers()
    const sent = answer('patch', urls.original, () => HttpResponse.error())
    const failure = failureOf(send(0, seconds), secrets)
    await until(() => sent.length === 1)
    await pass(1000, sent)
    expect((await failure).code).toBe(code)
    expect(sent).toHaveLength(2)
  })
  it('does not wait longer than 10 s for one call', async () => {
    stopTimers()
    const sent = answer('patch', urls.original, () => new Promise<never>(() => {}), kept)
    const sending = send()
    await until(() => sent.length === 1)
    vi.advanceTimersByTime(10_000)
    await pass(1000, sent)
    expect(await sending).toEqual(id)
  })
  it.each<[string, Reply, string]>([
    ['a text that is too long', json('discord-error-50035.json', { status: 400 }), 'too_long'],
    ['a text that a rule of the server forbids', refusal(400, 200_000), 'permanent'],
    ['a page with HTTP 400', () => HttpResponse.html('<p>no', { status: 400 }), 'permanent'],
  ])('leaves no "thinking…" behind %s', async (_what, reply, code) => {
    const sent = answer('patch', urls.original, reply, kept)
    expect((await failureOf(send(), secrets)).code).toBe(code)
    expect(sent.map(({ body }) => body)).toEqual([message, apology])
  })
  it('waits as long as Discord says, to the fraction of a second', async () => {
    const init = { status: 429, headers: { 'retry-after': '2', 'x-ratelimit-scope': 'user' } }
    const sent = answer('patch', urls.original, json('discord-error-429.json', init))
    expect(await failureOf(send(), secrets)).toMatchObject({ code: 'rate_limited', retryAfterMs: 1250 })
    expect(sent).toHaveLength(1)
  })
  it('takes the time from the header when a proxy of Discord answers', async () => {
    const reply = () => HttpResponse.html('<p>slow down', { status: 429, headers: { 'retry-after': '7' } })
    answer('patch', urls.original, reply)
    expect(await failureOf(send(), secrets)).toMatchObject({ code: 'rate_limited', retryAfterMs: 7000 })
  })
  it('stops waiting when the signal aborts', async () => {
    stopTimers()
    const stop = new AbortController()
    const sent = answer('patch', urls.original, refusal(404, 10015))
    const sending = expect(send(0, 0, stop.signal)).rejects.toThrow('the server stops')
    await until(() => isWaiting(300))
    stop.abort(new Error('the server stops'))
    await sending
    vi.advanceTimersByTime(60_000)
    expect(sent).toHaveLength(1)
  })
})

describe('the other parts of an answer', () => {
  it('follow the first', async () => {
    const sent = answer('post', urls.followUp, kept)
    expect(await send(1)).toEqual(id)
    expect(sent.map(({ body }) => body)).toEqual([message])
    expect(sent[0]?.headers.get('authorization')).toBeNull()
  })
  it.each<[string, Reply]>([
    ['HTTP 500', () => new HttpResponse('', { status: 500 })],
    ['a broken connection', () => HttpResponse.error()],
    ['a page with HTTP 200', () => HttpResponse.html('<h1>Sign in')],
  ])('are not sent again after %s: it would be a second message', async (_what, reply) => {
    const sent = answer('post', urls.followUp, reply)
    expect((await failureOf(send(1), secrets)).code).toBe('uncertain')
    expect(sent).toHaveLength(1)
  })
  it('go to the channel when Discord takes no follow-up', async () => {
    answer('post', urls.followUp, refusal(403, 40_094))
    const posted = answer('post', urls.channel, kept)
    expect(await send(6)).toEqual(id)
    expect(posted).toHaveLength(1)
  })
})

describe('an answer after fifteen minutes', () => {
  it('goes to the channel with the token of the bot and a nonce, without trying the old way', async () => {
    const posted = answer('post', urls.channel, kept)
    expect(await send(0, 900)).toEqual(id)
    expect(posted[0]?.headers.get('authorization')).toBe(`Bot ${botToken}`)
    expect(posted[0]?.body).toEqual({
      ...message,
      nonce: expect.stringMatching(/^[0-9a-f]{25}$/),
      enforce_nonce: true,
    })
  })
  it.each<[string, number, Reply]>([
    ['an invalid token, first part', 0, json('discord-error-50027.json', { status: 401 })],
    ['an invalid token, second part', 1, json('discord-error-50027.json', { status: 401 })],
    ['401 without a number', 0, () => new HttpResponse('', { status: 401 })],
    ['an unknown interaction, second part', 1, json('discord-error-10062.json', { status: 404 })],
  ])('goes to the channel when our clock is behind: %s', async (_what, index, reply) => {
    const tried = answer(index === 0 ? 'patch' : 'post', index === 0 ? urls.original : urls.followUp, reply)
    const posted = answer('post', urls.channel, kept)
    expect(await send(index)).toEqual(id)
    expect([tried.length, posted.length]).toEqual([1, 1])
  })
  it.each<[string, Reply]>([
    ['HTTP 503', () => new HttpResponse('', { status: 503 })],
    ['a broken connection', () => HttpResponse.error()],
  ])('is posted again with the same nonce after %s', async (_what, reply) => {
    stopTimers()
    const posted = answer('post', urls.channel, reply, kept)
    const sending = send(0, 1000)
    await until(() => posted.length === 1)
    await pass(1000, posted)
    expect(await sending).toEqual(id)
    expect(posted[1]?.body).toEqual(posted[0]?.body)
  })
  it('is posted twice at most', async () => {
    stopTimers()
    const posted = answer('post', urls.channel, () => HttpResponse.error())
    const failure = failureOf(send(0, 1000), secrets)
    await until(() => posted.length === 1)
    await pass(1000, posted)
    expect((await failure).code).toBe('uncertain')
    expect(posted).toHaveLength(2)
  })
  it('has another nonce for another part', async () => {
    const posted = answer('post', urls.channel, kept)
    for (const index of [0, 1]) await send(index, 1000)
    const [first, second] = posted.map(({ body }) => (body as { nonce: string }).nonce)
    expect(first).not.toBe(second)
  })
  it.each<[string, Reply]>([
    ['no access', refusal(403, 50_001)],
    ['no permission', refusal(403, 50_013)],
    ['an unknown channel', refusal(404, 10_003)],
  ])('is over where the bot cannot write: %s', async (_what, reply) => {
    answer('post', urls.channel, reply)
    const { code, message: words } = await failureOf(send(0, 1000), secrets)
    expect(code).toBe('expired')
    expect(words).toContain('Add the bot to the server')
  })
  it('says that the token of the bot is wrong', async () => {
    answer('post', urls.channel, () =>
      HttpResponse.json({ message: '401: Unauthorized', code: 0 }, { status: 401 }),
    )
    const { code, message: words } = await failureOf(send(0, 1000), secrets)
    expect(code).toBe('auth')
    expect(words).toContain('channel_c_bot_token')
  })
  it('waits as long as a slow channel says', async () => {
    const slow = () => HttpResponse.json({ message: 'slow', code: 20_016, retry_after: 3.5 }, { status: 429 })
    answer('post', urls.channel, slow)
    expect(await failureOf(send(0, 1000), secrets)).toMatchObject({
      code: 'rate_limited',
      retryAfterMs: 3500,
    })
  })
})

describe('what belongs to an answer', () => {
  const { signal } = new AbortController()

  it('refuses a target that names no channel', async () => {
    const call = channelAfter().send({ data: {} }, part, { signal, index: 0, idempotencyKey: 'k' })
    expect((await failureOf(call, secrets)).code).toBe('permanent')
  })
  it('shows "typing…" only when "thinking…" is over', async () => {
    const sent = answer('post', urls.typing, () => new HttpResponse(null, { status: 204 }))
    await channelAfter(899).typing?.(target, signal)
    expect(sent).toHaveLength(0)
    await channelAfter(900).typing?.(target, signal)
    expect(sent).toHaveLength(1)
  })
  it('does not mind a "typing…" that fails', async () => {
    answer('post', urls.typing, () => HttpResponse.error())
    await expect(channelAfter(900).typing?.(target, signal)).resolves.toBeUndefined()
  })
  it('takes "thinking…" away when it is given up', async () => {
    const sent = answer('patch', urls.original, kept)
    await channelAfter(10).giveUp?.(target, signal)
    expect(sent.map(({ body }) => body)).toEqual([apology])
    await channelAfter(900).giveUp?.(target, signal)
    await channelAfter(10).giveUp?.({ data: {} }, signal)
    expect(sent).toHaveLength(1)
  })
  it('does not mind when giving up fails', async () => {
    answer('patch', urls.original, () => HttpResponse.error())
    await expect(channelAfter(10).giveUp?.(target, signal)).resolves.toBeUndefined()
  })
  it('says which part a restart may send again', () => {
    expect(channelAfter(0).isRepeatable?.(target, 0)).toBe(true)
    expect(channelAfter(0).isRepeatable?.(target, 1)).toBe(false)
    expect(channelAfter(600).isRepeatable?.(target, 0)).toBe(false)
  })
})
