import { createServer, type AddressInfo } from 'node:net'
import { delay, http, HttpResponse, passthrough } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { addressOf, failureOf, fixture, fixtureText, webhookRequest } from '../testing/platform-kit.ts'
import { methodUrl, token, viberChannel } from './testing/viber-kit.ts'

const server = setupServer()
beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
afterEach(() => {
  server.resetHandlers()
  vi.useRealTimers()
})
afterAll(() => server.close())

type Reply = () => Response | Promise<Response>
const options = { signal: new AbortController().signal, index: 0, idempotencyKey: 'm1:0' }
const target = { data: { receiver: 'dGVzdC11c2VyLTE=' } }
const part = { text: 'hi', plain: 'hi' }
const sentOne: Reply = () => new HttpResponse(fixtureText('viber-api-send-message.json'))
const named = (name: string) => () => HttpResponse.json({ status: 0, status_message: 'ok', name })

/** Answers to `send_message`, the last one from then on; gives what was sent. */
function answer(...replies: readonly Reply[]): { headers: Headers; body: Record<string, unknown> }[] {
  const sent: { headers: Headers; body: Record<string, unknown> }[] = []
  server.use(
    http.post(methodUrl('send_message'), async ({ request }) => {
      const reply = replies[sent.length] ?? replies.at(-1)
      sent.push({ headers: request.headers, body: (await request.json()) as Record<string, unknown> })
      return reply?.() ?? HttpResponse.error()
    }),
    http.post(methodUrl('get_account_info'), named('Demo')),
  )
  return sent
}
const failure = () => failureOf(viberChannel().send(target, part, options), [token])

describe('what is sent', () => {
  it('viber-api-send-message: is plain text under the name of the bot; its id has all digits', async () => {
    const sent = answer(sentOne)
    expect(await viberChannel().send(target, part, options)).toEqual({ id: '5741311803571721087' })
    expect(sent[0]?.headers.get('x-viber-auth-token')).toBe(token)
    expect(sent[0]?.body).toEqual({
      receiver: 'dGVzdC11c2VyLTE=',
      min_api_version: 1,
      type: 'text',
      sender: { name: 'Demo' },
      text: 'hi',
    })
  })

  it('asks for the name of the bot once, and greets under it from then on', async () => {
    answer(sentOne)
    let asked = 0
    server.use(
      http.post(methodUrl('get_account_info'), () => {
        asked += 1
        return named('A bot of the house with a 🏠 in its name')()
      }),
    )
    const channel = viberChannel({ verify: 'off' })
    await channel.send(target, part, options)
    await channel.send(target, part, options)
    expect(asked).toBe(1)
    const welcome = await channel.receive(webhookRequest(fixtureText('viber-conversation-started.json')))
    const { sender } = JSON.parse(welcome.reply.body ?? '') as { sender: { name: string } }
    expect(sender.name).toBe('A bot of the house with a 🏠')
    expect(sender.name.length).toBeLessThanOrEqual(28)
  })

  it('goes out under a stand-in when the name cannot be asked for, and asks again only later', async () => {
    const sent = answer(sentOne)
    let asked = 0
    server.use(
      http.post(methodUrl('get_account_info'), () => {
        asked += 1
        return HttpResponse.error()
      }),
    )
    let now = 1_767_225_600_000
    const channel = viberChannel({ now: () => now })
    await channel.send(target, part, options)
    await channel.send(target, part, options)
    expect(sent.map(({ body }) => body['sender'])).toEqual([{ name: 'Assistant' }, { name: 'Assistant' }])
    expect(asked).toBe(1)
    now += 600_000
    await channel.send(target, part, options)
    expect(asked).toBe(2)
  })

  it('fits into 30 KB whatever it is made of', async () => {
    const sent = answer(sentOne)
    for (const character of ['я', '漢', '🏠', '"', '\n', '\u0001', '\ud83d']) {
      const text = character.repeat(7000 / character.length)
      await viberChannel().send(target, { text, plain: text }, options)
      expect(new TextEncoder().encode(JSON.stringify(sent.at(-1)?.body)).length).toBeLessThan(30_000)
    }
  })

  it('goes to another address when one is set, with or without /pa', async () => {
    const called: string[] = []
    const fake: typeof fetch = async (input) => {
      called.push(addressOf(input))
      return new Response(fixtureText('viber-api-send-message.json'))
    }
    for (const apiBase of ['http://127.0.0.1:8082/', 'http://127.0.0.1:8082/pa']) {
      await viberChannel({ apiBase, fetch: fake }).send(target, part, options)
    }
    expect(new Set(called.filter((url) => url.includes('send')))).toEqual(
      new Set(['http://127.0.0.1:8082/pa/send_message']),
    )
  })

  it('needs a receiver', async () => {
    const sent = answer(sentOne)
    const sending = viberChannel().send({ data: {} }, part, options)
    expect(await failureOf(sending, [token])).toMatchObject({ code: 'permanent' })
    expect(sent).toEqual([])
  })
})

describe('what Viber refuses with HTTP 200', () => {
  const refusal =
    (status: number): Reply =>
    () =>
      HttpResponse.json({ status, status_message: 'x' })
  const file =
    (name: string): Reply =>
    () =>
      HttpResponse.json(fixture(name))
  const cases: readonly [string, Reply, string][] = [
    ['viber-error-2', file('viber-error-2.json'), 'auth'],
    ['viber-error-6', file('viber-error-6.json'), 'gone'],
    ['viber-error-10', file('viber-error-10.json'), 'permanent'],
    ['viber-error-12-too-many', file('viber-error-12-too-many.json'), 'rate_limited'],
    ['bad data', refusal(3), 'permanent'],
    ['a receiver who is not registered', refusal(5), 'gone'],
    ['a bot that is blocked', refusal(7), 'auth'],
    ['a number that nobody knows', refusal(99), 'permanent'],
  ]
  for (const [title, reply, code] of cases) {
    it(`${title}: ${code}, tried once`, async () => {
      const sent = answer(reply)
      const failed = await failure()
      expect(failed.code).toBe(code)
      expect(failed.retryAfterMs).toBeUndefined()
      expect(sent).toHaveLength(1)
    })
  }

  it('says what to do about a webhook that is not set', async () => {
    answer(file('viber-error-10.json'))
    expect((await failure()).message).toContain('set-webhook')
  })

  it('repeats no token that a message holds', async () => {
    answer(() => HttpResponse.json({ status: 3, status_message: `bad ${token}` }))
    expect((await failure()).message).toContain('***')
  })
})

describe('what is not of Viber', () => {
  const cases: readonly [string, Reply, object][] = [
    ['a page with 200', () => HttpResponse.html('<h1>Log in</h1>'), { code: 'uncertain' }],
    ['a page with 502', () => HttpResponse.html('x', { status: 502 }), { code: 'uncertain' }],
    [
      'an answer that says ok with 500',
      () => HttpResponse.json({ status: 0 }, { status: 500 }),
      { code: 'uncertain' },
    ],
    ['a page with 403', () => HttpResponse.html('x', { status: 403 }), { code: 'permanent' }],
    [
      'too many requests',
      () => HttpResponse.text('', { status: 429, headers: { 'retry-after': '9' } }),
      { code: 'rate_limited', retryAfterMs: 9000 },
    ],
    ['a cut body', () => new HttpResponse('{"status":0,"mess'), { code: 'uncertain' }],
    [
      'a redirect',
      () => new HttpResponse(null, { status: 307, headers: { location: 'https://evil.test/' } }),
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

  it('is up after 15 seconds, and nobody knows whether it arrived', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const arrived = Promise.withResolvers<void>()
    const hung: typeof fetch = (input, init) => {
      if (!addressOf(input).endsWith('send_message')) return Promise.resolve(named('Demo')())
      arrived.resolve()
      return new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
      })
    }
    const failed = failureOf(viberChannel({ fetch: hung }).send(target, part, options), [token])
    await arrived.promise
    await vi.advanceTimersByTimeAsync(15_000)
    expect(await failed).toMatchObject({ code: 'uncertain' })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('surely did not leave when nobody listens', async () => {
    const listener = createServer()
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
    const { port } = listener.address() as AddressInfo // it listens on a port
    await new Promise((resolve) => listener.close(resolve))
    server.use(http.post(`http://127.0.0.1:${port}/*`, () => passthrough()))
    const sending = viberChannel({ apiBase: `http://127.0.0.1:${port}` }).send(target, part, options)
    expect(await failureOf(sending, [token])).toMatchObject({ code: 'temporary' })
  })

  it('ends with the signal, also while the name is asked for', async () => {
    for (const method of ['send_message', 'get_account_info']) {
      const stop = new AbortController()
      answer(sentOne)
      server.use(
        http.post(methodUrl(method), async () => {
          stop.abort(new Error('closing'))
          await delay('infinite')
          return new HttpResponse()
        }),
      )
      const sending = viberChannel().send(target, part, { ...options, signal: stop.signal })
      await expect(sending).rejects.toThrow('closing')
    }
  })
})

describe('an answer in Markdown', () => {
  it('is plain text', () => {
    const [only, ...more] = viberChannel().render('# Title\n\n**bold** and `code`')
    expect(more).toEqual([])
    expect(only?.text).toBe(only?.plain)
    expect(only?.text).toMatch(/^Title\s+bold and code$/)
  })

  it('of 10,000 characters arrives whole, in parts that Viber takes', () => {
    const parts = viberChannel().render(
      `${'Речення про дім. '.repeat(400)}\n\n\`\`\`\n${'дім 🏠\n'.repeat(600)}\`\`\``,
    )
    expect(parts.length).toBeGreaterThan(1)
    expect(Math.max(...parts.map(({ text }) => text.length))).toBeLessThanOrEqual(7000)
    const shown = parts.map(({ text }) => text).join('\n')
    expect(shown.match(/Речення/g)).toHaveLength(400)
    expect(shown.match(/🏠/g)).toHaveLength(600)
  })
})
