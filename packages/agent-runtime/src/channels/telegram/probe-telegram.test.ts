import { http, HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ChannelProbe } from '../../ports/channel.ts'
import { expectNoSecret, failureOf, fixture } from '../testing/platform-kit.ts'
import { methodUrl, secrets, telegramChannel } from './testing/telegram-kit.ts'

const server = setupServer()
beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

const { signal } = new AbortController()
const ours = 'https://example.test/api/channels/channel_a/webhook'
const me = (changes: object = {}) => {
  const known = fixture('telegram-api-getMe.json')
  return () => HttpResponse.json({ ok: true, result: { ...(known['result'] as object), ...changes } }) // it has one
}

async function probe(
  webhook: object | (() => Response),
  getMe = me(),
  now?: () => number,
): Promise<ChannelProbe> {
  server.use(
    http.post(methodUrl('getMe'), getMe),
    http.post(
      methodUrl('getWebhookInfo'),
      typeof webhook === 'function'
        ? (webhook as () => Response)
        : () => HttpResponse.json({ ok: true, result: webhook }),
    ),
  )
  const found = await telegramChannel(now === undefined ? {} : { now }).probe(signal)
  expectNoSecret(found, secrets)
  return found
}

describe('the probe', () => {
  it('telegram-api-getMe, telegram-api-getWebhookInfo: shows the bot, the webhook and its last failure', async () => {
    const found = await probe(() => HttpResponse.json(fixture('telegram-api-getWebhookInfo.json')))
    expect(found).toMatchObject({ ok: true, identity: '@demo_agent_bot', webhookUrl: ours })
    expect(found.warnings[0]).toBe(
      'Telegram last failed to call the webhook at 2025-12-31T23:50:00.000Z: Wrong response from the webhook: 500 Internal Server Error.',
    )
    expect(found.warnings.join()).toContain('Group privacy is on')
  })

  it('is well without a webhook: messages are polled', async () => {
    const found = await probe({ url: '' })
    expect(found).toMatchObject({ ok: true, warnings: [expect.stringContaining('Group privacy is on')] })
    expect(found).not.toHaveProperty('webhookUrl')
  })

  it('says when the bot reads all of a group', async () => {
    const found = await probe({ url: '' }, me({ can_read_all_group_messages: true }))
    expect(found.warnings.join()).toContain('Group privacy is off')
  })

  it('is not well while messages wait and the webhook fails', async () => {
    const stuck = {
      url: ours,
      pending_update_count: 3,
      last_error_date: 1_767_225_000,
      last_error_message: 'Connection refused',
    }
    expect(await probe(stuck)).toMatchObject({ ok: false })
    const later = () => (1_767_225_000 + 7200) * 1000
    expect(await probe(stuck, me(), later)).toMatchObject({ ok: true })
  })

  it('is not well when the webhook is of somebody else, whose address may hold secrets', async () => {
    const found = await probe({ url: `https://other.test/${secrets[0]}/x?token=topsecret` })
    expect(found).toMatchObject({ ok: false, webhookUrl: 'https://other.test/…' })
    expect(found.warnings[0]).toContain('another program')
    expectNoSecret(found, ['topsecret'])
  })

  it('is not well when the webhook gets no messages', async () => {
    expect(await probe({ url: ours, allowed_updates: ['callback_query'] })).toMatchObject({ ok: false })
    expect(await probe({ url: ours, allowed_updates: ['message'] })).toMatchObject({
      ok: true,
      warnings: expect.arrayContaining([expect.stringContaining('button presses')]),
    })
  })

  it('hides a token in what Telegram says', async () => {
    const found = await probe({
      url: ours,
      last_error_date: 1,
      last_error_message: `calling ${secrets[2]} failed`,
    })
    expect(found.warnings[0]).toContain('***')
  })

  for (const [title, reply, expected] of [
    [
      'a wrong token',
      () => HttpResponse.json(fixture('telegram-error-401.json'), { status: 401 }),
      'channel_a_bot_token',
    ],
    ['a page', () => HttpResponse.html('<p>down</p>', { status: 503 }), 'not a Telegram API response'],
    ['another shape', () => HttpResponse.json({ ok: true, result: 7 }), 'not a Telegram API response'],
    ['no connection', () => HttpResponse.error(), 'the connection failed'],
  ] as const) {
    it(`says ${title} and does not throw`, async () => {
      const found = await probe({ url: '' }, reply)
      expect(found).toEqual({ ok: false, warnings: [expect.stringContaining(expected)] })
    })
  }

  it('does not throw when it is given up', async () => {
    expect(await telegramChannel().probe(AbortSignal.abort(new Error('closed')))).toMatchObject({ ok: false })
  })
})

describe('set-webhook', () => {
  function register(reply: () => Response = () => HttpResponse.json({ ok: true, result: true })): unknown[] {
    const sent: unknown[] = []
    server.use(
      http.post(methodUrl('setWebhook'), async ({ request }) => {
        sent.push(await request.json())
        return reply()
      }),
    )
    return sent
  }
  const set = (url: string) => telegramChannel().setWebhook?.(url, signal) ?? expect.unreachable()

  for (const url of [
    ours,
    'https://example.test:8443/api/channels/telegram/webhook',
    'https://example.test:88/x',
  ]) {
    it(`registers ${url} with the secret, for messages only, and drops nothing that waits`, async () => {
      const sent = register()
      await set(url)
      expect(sent).toEqual([
        { url, secret_token: secrets[2], allowed_updates: ['message', 'callback_query', 'message_reaction'] },
      ])
      expect(secrets[2]).toMatch(/^[\w-]{43}$/)
    })
  }

  for (const url of [
    'http://example.test/x',
    'https://example.test:3010/x',
    'nowhere',
    'ftp://example.test/',
  ]) {
    it(`refuses ${url} without asking`, async () => {
      const sent = register()
      expect(await failureOf(set(url), secrets)).toMatchObject({
        code: 'permanent',
        message: expect.stringContaining('8443'),
      })
      expect(sent).toEqual([])
    })
  }

  it('says what Telegram has against an address', async () => {
    const description = 'Bad Request: bad webhook: Failed to resolve host: Name or service not known'
    register(() => HttpResponse.json({ ok: false, error_code: 400, description }, { status: 400 }))
    expect(await failureOf(set(ours), secrets)).toMatchObject({
      code: 'permanent',
      message: expect.stringContaining('Failed to resolve host'),
    })
  })

  for (const [title, reply, expected] of [
    [
      'too many changes',
      () => HttpResponse.json(fixture('telegram-error-429.json'), { status: 429 }),
      { code: 'rate_limited', retryAfterMs: 3000 },
    ],
    [
      'a wrong token',
      () => HttpResponse.json(fixture('telegram-error-401.json'), { status: 401 }),
      { code: 'auth' },
    ],
    ['a page: it may be set once more', () => HttpResponse.html('x', { status: 502 }), { code: 'temporary' }],
  ] as const) {
    it(title, async () => {
      register(reply)
      expect(await failureOf(set(ours), secrets)).toMatchObject(expected)
    })
  }
})
