import { createHmac } from 'node:crypto'
import { http, HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ChannelProbe } from '../../ports/channel.ts'
import { expectNoSecret, failureOf, fixture, fixtureText, webhookRequest } from '../testing/platform-kit.ts'
import { methodUrl, token, viberChannel } from './testing/viber-kit.ts'

const server = setupServer()
beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

const { signal } = new AbortController()
const ours = 'https://example.test/api/channels/channel_e/webhook'
const account = (facts: object) => () =>
  HttpResponse.json({ status: 0, status_message: 'ok', name: 'Demo', ...facts })

async function probe(reply: () => Response): Promise<ChannelProbe> {
  server.use(http.post(methodUrl('get_account_info'), reply))
  const found = await viberChannel().probe(signal)
  expectNoSecret(found, [token])
  return found
}

describe('the probe', () => {
  it('shows the bot and its webhook', async () => {
    expect(await probe(account({ webhook: ours, event_types: ['message'] }))).toEqual({
      ok: true,
      identity: 'Demo',
      webhookUrl: ours,
      warnings: [],
    })
  })

  for (const [title, facts, warning] of [
    ['without a webhook', {}, 'Run set-webhook'],
    ['with an empty webhook', { webhook: '' }, 'Run set-webhook'],
    [
      'with the webhook of somebody else',
      { webhook: 'https://other.test/hook/topsecret' },
      'https://other.test/…',
    ],
    [
      'with a webhook that gets no messages',
      { webhook: ours, event_types: ['seen'] },
      'Run set-webhook again',
    ],
  ] as const) {
    it(`is not well ${title}, and says what to do`, async () => {
      const found = await probe(account(facts))
      expect(found).toMatchObject({
        ok: false,
        identity: 'Demo',
        warnings: [expect.stringContaining(warning)],
      })
      expectNoSecret(found, ['topsecret'])
    })
  }

  for (const [title, reply, warning] of [
    ['a wrong token', () => HttpResponse.json(fixture('viber-error-2.json')), 'channel_e_auth_token'],
    ['a page', () => HttpResponse.html('x', { status: 503 }), 'not a Viber API response'],
    ['another shape', () => HttpResponse.json({ status: 0 }), 'not a Viber API response'],
    ['no connection', () => HttpResponse.error(), 'the connection failed'],
  ] as const) {
    it(`says ${title} and does not throw`, async () => {
      expect(await probe(reply)).toEqual({ ok: false, warnings: [expect.stringContaining(warning)] })
    })
  }

  it('does not throw when it is given up', async () => {
    expect(await viberChannel().probe(AbortSignal.abort(new Error('closed')))).toMatchObject({ ok: false })
  })
})

describe('set-webhook', () => {
  function register(reply: () => Response | Promise<Response>): unknown[] {
    const sent: unknown[] = []
    server.use(
      http.post(methodUrl('set_webhook'), async ({ request }) => {
        sent.push(await request.json())
        return reply()
      }),
    )
    return sent
  }

  it('viber-api-set-webhook: registers the address, which Viber calls before it answers', async () => {
    const channel = viberChannel()
    let called: number | undefined
    const sent = register(async () => {
      const body = fixtureText('viber-webhook.json')
      const signature = createHmac('sha256', token).update(body).digest('hex')
      const received = await channel.receive(webhookRequest(body, { 'X-Viber-Content-Signature': signature }))
      called = received.reply.status
      return HttpResponse.json(fixture('viber-api-set-webhook.json'))
    })
    await channel.setWebhook?.(ours, signal)
    expect(called).toBe(200)
    expect(sent).toEqual([
      {
        url: ours,
        event_types: ['message', 'conversation_started', 'subscribed', 'unsubscribed', 'failed'],
        send_name: true,
      },
    ])
  })

  for (const url of ['http://example.test/x', 'nowhere']) {
    it(`refuses ${url} without asking`, async () => {
      const sent = register(() => HttpResponse.error())
      const setting = viberChannel().setWebhook?.(url, signal) ?? expect.unreachable()
      expect(await failureOf(setting, [token])).toMatchObject({
        code: 'permanent',
        message: expect.stringContaining('https'),
      })
      expect(sent).toEqual([])
    })
  }

  for (const [title, reply, expected] of [
    [
      'an address that Viber cannot reach',
      () => HttpResponse.json({ status: 1, status_message: 'invalidUrl' }),
      { code: 'permanent', message: expect.stringContaining('certificate') },
    ],
    ['a wrong token', () => HttpResponse.json(fixture('viber-error-2.json')), { code: 'auth' }],
    ['a page: it may be set once more', () => HttpResponse.html('x', { status: 502 }), { code: 'temporary' }],
  ] as const) {
    it(`says ${title}`, async () => {
      register(reply)
      const setting = viberChannel().setWebhook?.(ours, signal) ?? expect.unreachable()
      expect(await failureOf(setting, [token])).toMatchObject(expected)
    })
  }
})
