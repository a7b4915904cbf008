import { createServer, type AddressInfo } from 'node:net'
import { delay, http, HttpResponse, passthrough } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { ReplyTarget } from '../../ports/channel.ts'
import { addressOf, failureOf, fixture, fixtureText } from '../testing/platform-kit.ts'
import { methodUrl, secrets, telegramChannel } from './testing/telegram-kit.ts'

const server = setupServer()
beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
afterEach(() => {
  server.resetHandlers()
  vi.useRealTimers()
})
afterAll(() => server.close())

type Sent = Record<string, unknown>
const url = methodUrl('sendMessage')
const chat: ReplyTarget = { data: { chat_id: -100, message_thread_id: 7, reply_to_message_id: 101 } }
const options = { signal: new AbortController().signal, index: 0, idempotencyKey: 'm1:0' }
const part = { text: '<b>hi</b>', plain: 'hi' }
const ok = () => HttpResponse.json(fixture('telegram-api-sendMessage.json'))
const refusal = (status: number, description: string, parameters?: object) => () =>
  HttpResponse.json({ ok: false, error_code: status, description, parameters }, { status })

/** Answers one after the other, the last one from then on; gives what was sent. */
function answer(...replies: readonly (() => Response | Promise<Response>)[]): Sent[] {
  const sent: Sent[] = []
  server.use(
    http.post(url, async ({ request }) => {
      const reply = replies[sent.length] ?? replies.at(-1)
      sent.push((await request.json()) as Sent)
      return reply?.() ?? HttpResponse.error()
    }),
  )
  return sent
}

const failure = (target = chat) => failureOf(telegramChannel().send(target, part, options), secrets)

describe('what is sent', () => {
  it('is HTML in the topic, as a reply, without a preview of what the model wrote', async () => {
    const sent = answer(ok)
    expect(await telegramChannel().send(chat, part, options)).toEqual({ id: '500' })
    expect(sent).toEqual([
      {
        chat_id: -100,
        text: '<b>hi</b>',
        parse_mode: 'HTML',
        link_preview_options: { is_disabled: true },
        message_thread_id: 7,
        reply_parameters: { message_id: 101, allow_sending_without_reply: true },
      },
    ])
  })

  it('has the reply only with its first part', async () => {
    const sent = answer(ok)
    await telegramChannel().send(chat, part, { ...options, index: 1 })
    expect(sent[0]).not.toHaveProperty('reply_parameters')
  })

  it('is not parsed when it is plain', async () => {
    const sent = answer(ok)
    await telegramChannel().send(chat, { text: 'a < b', plain: 'a < b' }, options)
    expect(sent[0]).toMatchObject({ text: 'a < b' })
    expect(sent[0]).not.toHaveProperty('parse_mode')
  })

  it('holds no half of a surrogate pair', async () => {
    const sent = answer(ok)
    await telegramChannel().send(chat, { text: 'x\ud83d', plain: 'x\ud83d' }, options)
    expect(sent[0]).toMatchObject({ text: 'x\ufffd' })
  })

  it('goes to another address when one is set', async () => {
    const called: string[] = []
    const fake: typeof fetch = async (input) => {
      called.push(addressOf(input).replace(secrets[0] ?? '', '<token>'))
      return new Response(fixtureText('telegram-api-sendMessage.json'))
    }
    await telegramChannel({ apiBase: 'http://127.0.0.1:8081/', fetch: fake }).send(chat, part, options)
    expect(called).toEqual(['http://127.0.0.1:8081/bot<token>/sendMessage'])
  })

  it('follows a group that became a supergroup', async () => {
    const upgraded = refusal(400, 'Bad Request: group chat was upgraded to a supergroup chat', {
      migrate_to_chat_id: -100999,
    })
    const sent = answer(upgraded, ok)
    expect(await telegramChannel().send(chat, part, options)).toEqual({ id: '500' })
    expect(sent.map(({ chat_id }) => chat_id)).toEqual([-100, -100999])
    expect(sent[1]).not.toHaveProperty('message_thread_id')
  })

  it('leaves a topic that is gone for the chat', async () => {
    const sent = answer(refusal(400, 'Bad Request: message thread not found'), ok)
    expect(await telegramChannel().send(chat, part, options)).toEqual({ id: '500' })
    expect(sent.map(({ message_thread_id }) => message_thread_id)).toEqual([7, undefined])
  })

  it('does not follow for ever', async () => {
    let group = -200
    const sent = answer(() => refusal(400, 'upgraded', { migrate_to_chat_id: (group -= 1) })())
    await failure()
    expect(sent).toHaveLength(3)
  })
})

describe('what Telegram refuses', () => {
  const cases: readonly [string, () => Response, object][] = [
    [
      'telegram-error-429',
      () => HttpResponse.json(fixture('telegram-error-429.json'), { status: 429 }),
      { code: 'rate_limited', retryAfterMs: 3000 },
    ],
    [
      'telegram-error-400-entities',
      () => HttpResponse.json(fixture('telegram-error-400-entities.json'), { status: 400 }),
      { code: 'format' },
    ],
    [
      'telegram-error-403-blocked',
      () => HttpResponse.json(fixture('telegram-error-403-blocked.json'), { status: 403 }),
      { code: 'gone' },
    ],
    [
      'telegram-error-401',
      () => HttpResponse.json(fixture('telegram-error-401.json'), { status: 401 }),
      { code: 'auth' },
    ],
    ['a token of no bot', refusal(404, 'Not Found'), { code: 'auth' }],
    ['a text that is too long', refusal(400, 'Bad Request: message is too long'), { code: 'too_long' }],
    ['a chat that is gone', refusal(400, 'Bad Request: chat not found'), { code: 'gone' }],
    [
      'a group where it may not write',
      refusal(400, 'Bad Request: not enough rights to send text messages to the chat'),
      { code: 'permanent' },
    ],
    ['its own failure', refusal(500, 'Internal Server Error'), { code: 'uncertain' }],
    [
      'too many requests, from a proxy',
      () => HttpResponse.html('slow down', { status: 429, headers: { 'retry-after': '7' } }),
      { code: 'rate_limited', retryAfterMs: 7000 },
    ],
    ['a page with 200', () => HttpResponse.html('<h1>Log in to the Wi-Fi</h1>'), { code: 'uncertain' }],
    [
      'a page with 502',
      () => HttpResponse.html('<h1>Bad Gateway</h1>', { status: 502 }),
      { code: 'uncertain' },
    ],
    ['a page with 403', () => HttpResponse.html('<h1>Blocked</h1>', { status: 403 }), { code: 'permanent' }],
    ['an empty 200', () => new HttpResponse('', { status: 200 }), { code: 'uncertain' }],
    ['a cut body', () => new HttpResponse('{"ok":true,"resu', { status: 200 }), { code: 'uncertain' }],
    [
      'a redirect',
      () => new HttpResponse(null, { status: 302, headers: { location: 'https://evil.test/' } }),
      { code: 'permanent' },
    ],
    ['a connection that breaks', () => HttpResponse.error(), { code: 'uncertain' }],
  ]
  for (const [title, reply, expected] of cases) {
    it(`${title}: tried once`, async () => {
      const sent = answer(reply)
      expect(await failure()).toMatchObject(expected)
      expect(sent).toHaveLength(1)
    })
  }

  it('repeats no token that a description holds', async () => {
    answer(
      refusal(
        400,
        `Bad Request: https://api.telegram.org/bot${secrets[0]}/x and ${secrets[1]}, ${secrets[2]}`,
      ),
    )
    expect((await failure()).message).toContain('***')
  })

  it('needs a chat', async () => {
    const sent = answer(ok)
    expect(await failure({ data: { chat_id: 'everybody' } })).toMatchObject({ code: 'permanent' })
    expect(sent).toEqual([])
  })
})

describe('time', () => {
  it('is up after 15 seconds, and nobody knows whether it arrived', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const arrived = Promise.withResolvers<void>()
    const hung: typeof fetch = (_input, init) => {
      arrived.resolve()
      return new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
      })
    }
    const failed = failureOf(telegramChannel({ fetch: hung }).send(chat, part, options), secrets)
    await arrived.promise
    await vi.advanceTimersByTimeAsync(15_000)
    expect(await failed).toMatchObject({ code: 'uncertain', message: expect.stringContaining('within 15 s') })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('surely did not leave when nobody listens', async () => {
    const listener = createServer()
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
    const { port } = listener.address() as AddressInfo // it listens on a port
    await new Promise((resolve) => listener.close(resolve))
    server.use(http.post(`http://127.0.0.1:${port}/*`, () => passthrough()))
    const channel = telegramChannel({ apiBase: `http://127.0.0.1:${port}` })
    expect(await failureOf(channel.send(chat, part, options), secrets)).toMatchObject({ code: 'temporary' })
  })

  it('ends with the signal, and its reason', async () => {
    const stop = new AbortController()
    answer(async () => {
      stop.abort(new Error('closing'))
      await delay('infinite')
      return ok()
    })
    const sending = telegramChannel().send(chat, part, { ...options, signal: stop.signal })
    await expect(sending).rejects.toThrow('closing')
  })
})

describe('typing', () => {
  it('is shown in the topic', async () => {
    const actions: unknown[] = []
    server.use(
      http.post(methodUrl('sendChatAction'), async ({ request }) => {
        actions.push(await request.json())
        return HttpResponse.json({ ok: true, result: true })
      }),
    )
    await telegramChannel().typing?.(chat, options.signal)
    expect(actions).toEqual([{ chat_id: -100, action: 'typing', message_thread_id: 7 }])
  })

  it('does not matter when it fails', async () => {
    server.use(http.post(methodUrl('sendChatAction'), () => HttpResponse.error()))
    await expect(telegramChannel().typing?.(chat, options.signal)).resolves.toBeUndefined()
  })
})

describe('an answer in Markdown', () => {
  it('is HTML, with plain text beside it', () => {
    expect(telegramChannel().render('**a** < `b`')).toEqual([
      { text: '<b>a</b> &lt; <code>b</code>', plain: 'a < b' },
    ])
  })

  it('of 10,000 characters with code arrives in parts that Telegram takes', () => {
    const code = `\`\`\`ts\n${'const answer = "<&>"\n'.repeat(300)}\`\`\`\n`
    const parts = telegramChannel().render(`# Title\n\n${'A sentence & more. '.repeat(240)}\n\n${code}`)
    expect(parts.length).toBeGreaterThan(2)
    for (const { text, plain } of parts) {
      expect(Math.max(text.length, plain.length)).toBeLessThanOrEqual(4000)
      expect(text.match(/<pre>/g)?.length).toBe(text.match(/<\/pre>/g)?.length)
    }
    const lines = parts.map(({ plain }) => plain.split('const answer = "<&>"').length - 1)
    expect(lines.reduce((sum, count) => sum + count, 0)).toBe(300)
  })
})
