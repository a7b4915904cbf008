import { delay, http, HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { ReplyTarget } from '../../ports/channel.ts'
import {
  channelContext,
  expectNoSecret,
  failureOf,
  fixture,
  fixtureText,
  webhookRequest,
} from '../testing/platform-kit.ts'
import { isHmacSha256 } from '../webhooks/verify-hmac.ts'
import { createBridgeChannel } from './create-bridge-channel.ts'

const server = setupServer()
beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
afterEach(() => {
  server.resetHandlers()
  vi.useRealTimers()
})
afterAll(() => server.close())

const secret = 'bridge-test-secret-0123456789'
const base = 'http://bridge.test:8080/v2'
const channel = createBridgeChannel(
  { channel_d_bridge_url: `${base}/`, channel_d_bridge_secret: secret },
  channelContext(),
)
const part = { text: 'It is sunny.', plain: 'It is sunny.' }
const target: ReplyTarget = {
  data: { conversation_id: 'signal:+15550101', to: '+15550101', reply_to: 'm-1', account: '+15550100' },
}
const { signal } = new AbortController()
const options = { signal, index: 0, idempotencyKey: 'm1:0' }

interface Sent {
  readonly headers: Headers
  readonly text: string
}

/** Answers `POST /send`; gives what was sent. */
function answer(reply: () => Response | Promise<Response>): Sent[] {
  const sent: Sent[] = []
  server.use(
    http.post(`${base}/send`, async ({ request }) => {
      sent.push({ headers: request.headers, text: await request.text() })
      return reply()
    }),
  )
  return sent
}

describe('send', () => {
  it('sends one body that a bridge and signal-cli-rest-api take, proven by the secret', async () => {
    const sent = answer(() => HttpResponse.json(fixture('bridge-send-response.json')))
    expect(await channel.send(target, part, options)).toEqual({ id: 'out-1' })
    expect(sent).toHaveLength(1)
    const [{ headers, text }] = sent as [Sent]
    expect(JSON.parse(text)).toEqual(fixture('bridge-send-request.json'))
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.get('authorization')).toBe(`Bearer ${secret}`)
    expect(headers.get('idempotency-key')).toBe('m1:0')
    const signature = headers.get('x-hub-signature-256')
    expect(await isHmacSha256(secret, text, signature?.replace('sha256=', ''))).toBe(true)
  })

  it('answers what came in: the first part refers to it, the others do not', async () => {
    const received = await createBridgeChannel({}, channelContext({ verify: 'off' })).receive(
      webhookRequest(fixtureText('bridge-signal-message-dm.json')),
    )
    const sent = answer(() => HttpResponse.json({}))
    const found = received.kind === 'message' ? received.message.target : expect.unreachable()
    await channel.send(found, part, options)
    await channel.send(found, part, { ...options, index: 1 })
    expect(sent.map(({ text }) => JSON.parse(text))).toMatchObject([
      { number: '+15550100', recipients: ['+15550101'], reply_to: '1767225600000' },
      { number: '+15550100', recipients: ['+15550101'], message: 'It is sunny.' },
    ])
    expect(sent[1]?.text).not.toContain('reply_to')
  })

  it('finds the id in what any bridge answers, and needs none', async () => {
    const cases: readonly [Response, string | undefined][] = [
      [HttpResponse.json(fixture('bridge-signal-send-response.json'), { status: 201 }), '1767225601000'],
      [HttpResponse.json({ code: 'SUCCESS', results: { message_id: '3EB0' } }), '3EB0'],
      [HttpResponse.json({ message_id: 5 }), '5'],
      [new HttpResponse(null, { status: 204 }), undefined],
      [HttpResponse.text('sent', { status: 202 }), undefined],
    ]
    for (const [reply, id] of cases) {
      server.resetHandlers()
      answer(() => reply)
      expect(await channel.send(target, part, options)).toEqual(id === undefined ? {} : { id })
    }
  })

  it('proves nothing when no secret is set', async () => {
    const open = createBridgeChannel({ channel_d_bridge_url: base }, channelContext())
    const sent = answer(() => HttpResponse.json({}))
    await open.send({ data: { conversation_id: 'a', to: 'a' } }, part, options)
    expect(sent[0]?.headers.has('authorization')).toBe(false)
    expect(sent[0]?.headers.has('x-hub-signature-256')).toBe(false)
    expect(JSON.parse(sent[0]?.text ?? '')).toEqual({
      conversation_id: 'a',
      to: 'a',
      text: part.text,
      recipients: ['a'],
      message: part.text,
    })
  })
})

describe('when it fails', () => {
  const failure = () => failureOf(channel.send(target, part, options), [secret])
  const status = (code: number, body: object | string = {}, headers: Record<string, string> = {}) => {
    const init = { status: code, headers }
    return () => (typeof body === 'string' ? HttpResponse.html(body, init) : HttpResponse.json(body, init))
  }

  it('asks for a person, and does not repeat, when Signal wants a captcha', async () => {
    const sent = answer(status(429, fixture('bridge-signal-send-429.json')))
    expect(await failure()).toMatchObject({ code: 'permanent', message: expect.stringContaining('captcha') })
    expect(sent).toHaveLength(1)
  })

  it('tells what the bridge answered', async () => {
    const cases: readonly [() => Response, object][] = [
      [status(429, {}, { 'retry-after': '3' }), { code: 'rate_limited', retryAfterMs: 3000 }],
      [
        status(429, {}, { 'retry-after': new Date(1_767_225_600_000 + 5000).toUTCString() }),
        { code: 'rate_limited', retryAfterMs: 5000 },
      ],
      [status(400, { error: 'Unregistered user' }), { code: 'permanent', message: /Unregistered user/ }],
      [status(401), { code: 'auth' }],
      [status(404, '<html>no</html>'), { code: 'permanent', message: /Check channel_d_bridge_url/ }],
      [status(413), { code: 'too_long' }],
      [status(500, '<html>no</html>'), { code: 'uncertain' }],
      [status(502), { code: 'uncertain' }],
    ]
    for (const [reply, { message, ...expected }] of cases as readonly [
      () => Response,
      { message?: RegExp },
    ][]) {
      server.resetHandlers()
      const sent = answer(reply)
      const failed = await failure()
      expect(failed).toMatchObject(expected)
      if (message) expect(failed.message).toMatch(message)
      expect(sent).toHaveLength(1)
    }
  })

  it('does not repeat the secret that a bridge says back', async () => {
    answer(status(400, { error: `bad key ${secret} at /v2/send?token=${encodeURIComponent(secret)}` }))
    expect((await failure()).message).toContain('***')
  })

  it('follows no redirect: the secret is for this address only', async () => {
    const seen = answer(() => HttpResponse.redirect('http://elsewhere.test/send', 307))
    expect(await failure()).toMatchObject({ code: 'permanent', message: expect.stringContaining('redirect') })
    expect(seen).toHaveLength(1)
  })

  it('does not know after 15 s without an answer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const arrived = Promise.withResolvers<void>()
    answer(async () => {
      arrived.resolve()
      await delay('infinite')
      return HttpResponse.json({})
    })
    const failed = failure()
    await arrived.promise
    await vi.advanceTimersByTimeAsync(15_000)
    expect(await failed).toMatchObject({ code: 'uncertain', message: expect.stringContaining('within 15 s') })
  })

  it('gives up with the reason of its caller, before and while it sends', async () => {
    const sent = answer(() => delay('infinite').then(() => HttpResponse.json({})))
    const reason = new Error('closing')
    const early = channel.send(target, part, { ...options, signal: AbortSignal.abort(reason) })
    await expect(early).rejects.toBe(reason)
    expect(sent).toHaveLength(0)
    const caller = new AbortController()
    const late = channel.send(target, part, { ...options, signal: caller.signal })
    await vi.waitUntil(() => sent.length === 1, { timeout: 60_000 })
    caller.abort(reason)
    await expect(late).rejects.toBe(reason)
  })
})

describe('typing', () => {
  it('asks a bridge that cannot show it once only', async () => {
    let calls = 0
    server.use(
      http.post(`${base}/typing`, () => {
        calls += 1
        return new HttpResponse(null, { status: calls === 1 ? 200 : 404 })
      }),
    )
    for (let call = 0; call < 4; call += 1) await channel.typing?.(target, signal)
    expect(calls).toBe(2)
  })
})

describe('probe', () => {
  const probe = (url: string, key = secret) =>
    createBridgeChannel({ channel_d_bridge_url: url, channel_d_bridge_secret: key }, channelContext()).probe(
      signal,
    )
  const up = () => new HttpResponse(null, { status: 204 })

  it('asks signal-cli-rest-api where it answers, and others for /health or /about', async () => {
    server.use(http.get('http://bridge.test:8080/v1/health', up))
    expect(await probe(base)).toEqual({ ok: true, warnings: [expect.stringContaining('Use https')] })
    server.use(http.get('https://own.test/health', up))
    expect(await probe('https://own.test/')).toEqual({ ok: true, warnings: [] })
    server.use(
      http.get('https://about.test/health', () => new HttpResponse(null, { status: 404 })),
      http.get('https://about.test/about', up),
    )
    expect(await probe('https://about.test')).toEqual({ ok: true, warnings: [] })
  })

  it('says what is wrong with one that is not there, and never throws', async () => {
    server.use(http.get('https://down.test/health', () => HttpResponse.error()))
    server.use(http.get('https://wrong.test/health', () => new HttpResponse(null, { status: 401 })))
    for (const [url, text] of [
      ['https://down.test', 'Start the bridge'],
      ['https://wrong.test', 'HTTP 401'],
      ['nonsense', 'not a valid URL'],
    ] as const) {
      const found = await probe(url)
      expect(found).toMatchObject({ ok: false, warnings: [expect.stringContaining(text)] })
      expectNoSecret(found, [secret])
    }
    const given = createBridgeChannel({ channel_d_bridge_url: base }, channelContext())
    expect(await given.probe(AbortSignal.abort(new Error('closing')))).toMatchObject({ ok: false })
  })

  it('warns when only this machine is believed', async () => {
    server.use(http.get('http://localhost:8080/health', up))
    const found = await probe('http://localhost:8080', '')
    expect(found).toEqual({ ok: true, warnings: [expect.stringContaining('channel_d_bridge_secret')] })
  })
})
