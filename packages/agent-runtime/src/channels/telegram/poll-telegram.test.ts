import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import type { InboundMessage, PollState } from '../../ports/channel.ts'
import { addressOf, expectNoSecret, failureOf, fixture } from '../testing/platform-kit.ts'
import { until } from '../testing/until.ts'
import { methodUrl, secrets, telegramChannel } from './testing/telegram-kit.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

type Reply = () => Response | Promise<Response>
const updates = (file = 'telegram-api-getUpdates.json') => Response.json(fixture(file))
const hold: Reply = () => new Promise<never>(() => undefined)
const refuse =
  (file: string, status: number): Reply =>
  () =>
    Response.json(fixture(file), { status })
const terminated: Reply = () =>
  Response.json(
    {
      ok: false,
      error_code: 409,
      description:
        'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
    },
    { status: 409 },
  )

/** A poller, and Telegram as it answers it. */
function start(options: {
  webhook?: string
  offset?: number
  replies: readonly Reply[]
  accept?: () => Promise<void>
}) {
  const telegram = {
    webhook: options.webhook ?? '',
    looked: 0,
    asked: [] as Record<string, unknown>[],
    deleted: 0,
  }
  const kept: { ids: string[]; next: number }[] = []
  const states: PollState[] = []
  const stop = new AbortController()
  const methods: Record<string, (parameters: Record<string, unknown>) => Response | Promise<Response>> = {
    getMe: () => updates('telegram-api-getMe.json'),
    getWebhookInfo() {
      telegram.looked += 1
      return Response.json({ ok: true, result: { url: telegram.webhook, pending_update_count: 0 } })
    },
    getUpdates(parameters) {
      const reply = options.replies[telegram.asked.length] ?? options.replies.at(-1) ?? hold
      telegram.asked.push(parameters)
      return reply()
    },
    deleteWebhook() {
      telegram.deleted += 1
      return Response.json({ ok: true, result: true })
    },
  }
  const fakeFetch: typeof fetch = async (input, init) => {
    const method = addressOf(input).slice(methodUrl('').length)
    const answer = methods[method]?.(JSON.parse(init?.body as string) as Record<string, unknown>)
    const aborted = Promise.withResolvers<never>()
    init?.signal?.addEventListener('abort', () => aborted.reject(init.signal?.reason))
    return Promise.race([answer ?? Promise.reject(new TypeError('fetch failed')), aborted.promise])
  }
  const channel = telegramChannel({ fetch: fakeFetch })
  const ended = channel.poll?.({
    offset: options.offset,
    signal: stop.signal,
    async accept(messages: readonly InboundMessage[], next: number) {
      await options.accept?.()
      kept.push({ ids: messages.map(({ dedupeKeys }) => dedupeKeys.join('')), next })
    },
    report: (state) => states.push(state),
  })
  if (ended === undefined) throw new Error('Telegram can be polled')
  const end = async () => {
    stop.abort(new Error('stopped'))
    await ended
  }
  return { telegram, kept, states, stop, ended, end }
}

/** Lets everything happen that needs no time. */
async function settle(): Promise<void> {
  for (let round = 0; round < 50; round += 1) await setImmediate()
}

it('keeps messages with the offset behind them, and asks for the next ones only then', async () => {
  const keeping = Promise.withResolvers<void>()
  const { telegram, kept, end, states } = start({ replies: [updates, hold], accept: () => keeping.promise })
  await until(() => telegram.asked.length === 1)
  await settle()
  expect(telegram.asked).toEqual([
    { timeout: 50, limit: 100, allowed_updates: ['message', 'callback_query', 'message_reaction'] },
  ])
  keeping.resolve()
  await until(() => telegram.asked.length === 2)
  expect(kept).toEqual([
    { ids: ['channel_a:200000002:900000001', 'channel_a:200000002:900000002'], next: 900000003 },
  ])
  expect(telegram.asked[1]).toMatchObject({ offset: 900000003 })
  expect(states).toEqual([{ mode: 'polling' }])
  await end()
})

it('goes on behind the offset that was kept', async () => {
  const { telegram, end } = start({ offset: 900000003, replies: [hold] })
  await until(() => telegram.asked.length === 1)
  expect(telegram.asked[0]).toMatchObject({ offset: 900000003 })
  await end()
})

it('moves the offset behind updates that are no messages', async () => {
  const other: Reply = () => Response.json({ ok: true, result: [fixture('telegram-edited-message.json')] })
  const { kept, end, telegram } = start({ replies: [other, hold] })
  await until(() => telegram.asked.length === 2)
  expect(kept).toEqual([{ ids: [], next: 900000010 }])
  await end()
})

it('asks for the same messages again when they could not be kept', async () => {
  const accept = vi.fn().mockRejectedValueOnce(new Error('disk full at /secret')).mockResolvedValue(undefined)
  const { telegram, kept, states, end } = start({ replies: [updates, updates, hold], accept })
  await until(() => states.length === 2)
  expect(states[1]).toEqual({
    mode: 'polling',
    warning: expect.stringContaining('Storing new Telegram messages failed'),
  })
  expect(states[1]?.warning).not.toContain('disk full')
  await vi.advanceTimersByTimeAsync(5000)
  await until(() => telegram.asked.length === 3)
  expect(telegram.asked.map(({ offset }) => offset)).toEqual([undefined, undefined, 900000003])
  expect(kept.map(({ next }) => next)).toEqual([900000003])
  expect(states.at(-1)).toEqual({ mode: 'polling' })
  await end()
})

it('pauses 5 seconds, doubled up to 60, while another program asks too, and says so', async () => {
  const { telegram, states, end } = start({
    replies: [terminated, terminated, terminated, terminated, terminated, terminated, hold],
  })
  const timers = vi.spyOn(globalThis, 'setTimeout')
  onTestFinished(() => timers.mockRestore())
  for (const [index, pauseMs] of [5000, 10_000, 20_000, 40_000, 60_000, 60_000].entries()) {
    await until(() => timers.mock.lastCall?.[1] === pauseMs && vi.getTimerCount() === 1)
    timers.mockClear()
    await vi.advanceTimersByTimeAsync(pauseMs - 1)
    await settle()
    expect(telegram.asked).toHaveLength(index + 1)
    await vi.advanceTimersByTimeAsync(1)
  }
  await until(() => telegram.asked.length === 7)
  expect(states).toHaveLength(2)
  expect(states[1]?.warning).toContain('Only one program can poll')
  await end()
})

it('waits while a webhook of a server like this one is set, and polls when it is gone', async () => {
  const { telegram, states, end } = start({
    webhook: 'https://example.test/api/channels/channel_a/webhook',
    replies: [hold],
  })
  await until(() => states.length === 1)
  expect(states).toEqual([{ mode: 'webhook' }])
  telegram.webhook = ''
  await vi.advanceTimersByTimeAsync(60_000)
  await until(() => telegram.asked.length === 1)
  expect(states.at(-1)).toEqual({ mode: 'polling' })
  await end()
  expect(telegram.deleted).toBe(0)
})

it('leaves the webhook of somebody else alone, and says what to do', async () => {
  const webhook = `https://other.test/hook/${secrets[1]}?key=abc`
  const { telegram, states, end } = start({ webhook, replies: [updates] })
  await until(() => states.length === 1)
  expect(states[0]).toEqual({ mode: 'webhook', warning: expect.stringContaining('https://other.test/…') })
  expectNoSecret(states, [...secrets, 'key=abc'])
  for (const looked of [2, 3]) {
    await vi.advanceTimersByTimeAsync(60_000)
    await until(() => telegram.looked === looked && vi.getTimerCount() === 1)
  }
  expect(telegram).toMatchObject({ asked: [], deleted: 0 })
  await end()
})

it('looks at the webhook when Telegram refuses to answer because of one, and says nothing of a failure', async () => {
  const options = { replies: [async () => conflict()] as Reply[] }
  const { telegram, states, end } = start(options)
  function conflict(): Response {
    telegram.webhook = 'https://example.test/api/channels/telegram/webhook'
    return Response.json(fixture('telegram-error-409-webhook-active.json'), { status: 409 })
  }
  await until(() => states.length === 2 && vi.getTimerCount() === 1)
  expect(states).toEqual([{ mode: 'polling' }, { mode: 'webhook' }])
  telegram.webhook = ''
  options.replies[0] = hold
  await vi.advanceTimersByTimeAsync(60_000)
  await until(() => telegram.asked.length === 2)
  expect(states.at(-1)).toEqual({ mode: 'polling' })
  await end()
})

it('begins with the shortest pause again when a webhook was set and has gone meanwhile', async () => {
  const hooked: Reply = () => {
    telegram.webhook = 'https://example.test/api/channels/telegram/webhook'
    return terminated()
  }
  const { telegram, states, end } = start({ replies: [terminated, hooked, terminated, hold] })
  await until(() => states.length === 2 && vi.getTimerCount() === 1)
  await vi.advanceTimersByTimeAsync(5000)
  await until(() => states.at(-1)?.mode === 'webhook' && vi.getTimerCount() === 1)
  telegram.webhook = ''
  await vi.advanceTimersByTimeAsync(60_000)
  await until(() => telegram.asked.length === 3 && vi.getTimerCount() === 1)
  await vi.advanceTimersByTimeAsync(5000)
  await until(() => telegram.asked.length === 4)
  await end()
})

const refused = refuse('telegram-error-401.json', 401)

/** Lets the pauses of five refusals pass, of which the first is the answer to question `asked`. */
async function waitThrough(telegram: { readonly asked: readonly unknown[] }, asked: number): Promise<void> {
  for (const [index, pauseMs] of [5000, 10_000, 20_000, 40_000, 60_000].entries()) {
    await until(() => telegram.asked.length === asked + index)
    await settle()
    await vi.advanceTimersByTimeAsync(pauseMs - 1)
    await settle()
    expect(telegram.asked).toHaveLength(asked + index)
    await vi.advanceTimersByTimeAsync(1)
  }
}

it('A22: goes on when the token was refused in passing, however often that happens', async () => {
  const passing = [refused, refused, refused, refused, refused, () => updates()]
  const { telegram, states, end } = start({ replies: [...passing, ...passing, hold] })
  for (const asked of [1, 7]) {
    await waitThrough(telegram, asked)
    expect(states.at(-1)).toEqual({ mode: 'polling', warning: expect.stringContaining('BotFather') })
  }
  await until(() => telegram.asked.length === 13)
  expect(states.at(-1)).toEqual({ mode: 'polling' })
  await end()
})

it('A22: stops for good when Telegram refuses the token time after time, and says so', async () => {
  const { telegram, ended } = start({ replies: [refused] })
  const failed = failureOf(ended, secrets)
  await waitThrough(telegram, 1)
  expect(await failed).toMatchObject({
    code: 'auth',
    message: expect.stringMatching(/BotFather.*rejected the request 6 times\. Polling stops/),
  })
  expect(telegram.asked).toHaveLength(6)
})

it.each([
  [33, 33],
  [600, 600],
  [86_400, 3600],
])('waits when Telegram says %i seconds for %i', async (said, seconds) => {
  const slow: Reply = () =>
    Response.json(
      { ok: false, error_code: 429, description: 'Too Many Requests', parameters: { retry_after: said } },
      { status: 429 },
    )
  const { telegram, end } = start({ replies: [slow, hold] })
  await until(() => telegram.asked.length === 1 && vi.getTimerCount() === 1)
  await vi.advanceTimersByTimeAsync(seconds * 1000 - 1)
  await settle()
  expect(telegram.asked).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1)
  await until(() => telegram.asked.length === 2)
  await end()
})

for (const [title, reply] of [
  ['a page of a proxy', () => new Response('<h1>Bad Gateway</h1>', { status: 502 })],
  ['a page with 200', () => new Response('<h1>Log in</h1>')],
  ['another shape', () => Response.json({ ok: true, result: 'none' })],
  ['a broken connection', () => Promise.reject(new TypeError('fetch failed'))],
] as const satisfies readonly (readonly [string, Reply])[]) {
  it(`goes on after ${title}, and shows it meanwhile`, async () => {
    const { telegram, states, kept, end } = start({ replies: [reply, updates, hold] })
    await until(() => states.length === 2)
    expect(states[1]?.warning).toMatch(/^Telegram getUpdates failed: /)
    expectNoSecret(states, secrets)
    await vi.advanceTimersByTimeAsync(5000)
    await until(() => telegram.asked.length === 3)
    expect(kept).toHaveLength(1)
    expect(states.at(-1)).toEqual({ mode: 'polling' })
    await end()
  })
}

it('gives up a question that is held for more than 65 seconds', async () => {
  const { telegram, end } = start({ replies: [hold] })
  await until(() => telegram.asked.length === 1)
  await vi.advanceTimersByTimeAsync(65_000)
  await until(() => vi.getTimerCount() === 1)
  await vi.advanceTimersByTimeAsync(5000)
  await until(() => telegram.asked.length === 2)
  await end()
})

it('does not storm a server that answers nothing at once', async () => {
  const { telegram, end } = start({ replies: [() => Response.json({ ok: true, result: [] })] })
  await until(() => telegram.asked.length === 1 && vi.getTimerCount() === 1)
  await settle()
  expect(telegram.asked).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1000)
  await until(() => telegram.asked.length === 2)
  await end()
})

it('ends at once with its signal, also before it begins and in a pause', async () => {
  const asking = start({ replies: [hold] })
  await until(() => asking.telegram.asked.length === 1)
  await asking.end()
  const pausing = start({ replies: [terminated] })
  await until(() => pausing.states.length === 2)
  await pausing.end()
  const early = start({ replies: [hold] })
  await early.end()
  expect(early.telegram.asked).toEqual([])
})
