import { Api } from 'grammy'
import { http, HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fixture } from '../testing/platform-kit.ts'
import { telegramChannel, token } from './testing/telegram-kit.ts'
import { telegramSecret } from './verify-telegram.ts'

interface Call {
  readonly method: string
  readonly verb: string
  readonly contentType: string | null
  readonly parameters: unknown
}

let calls: Call[] = []
const results: Record<string, unknown> = {
  sendMessage: fixture('telegram-api-sendMessage.json')['result'],
  getMe: fixture('telegram-api-getMe.json')['result'],
  getWebhookInfo: { url: '', has_custom_certificate: false, pending_update_count: 0 },
  getUpdates: [],
}
const server = setupServer(
  http.all(`https://api.telegram.org/bot${token}/:method`, async ({ request, params }) => {
    const method = String(params['method'])
    const text = await request.text()
    calls.push({
      method,
      verb: request.method,
      contentType: request.headers.get('content-type'),
      parameters: text === '' ? {} : JSON.parse(text),
    })
    return HttpResponse.json({ ok: true, result: results[method] ?? true })
  }),
)
beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
afterAll(() => server.close())

/** What two clients ask of Telegram, one after the other. */
async function asked(...clients: readonly (() => Promise<unknown>)[]): Promise<Call[][]> {
  const seen = []
  for (const client of clients) {
    calls = []
    await client()
    seen.push(calls)
  }
  return seen
}

// grammY is written against the Bot API and used by many: what it sends for the same wish is a well-formed request.
const grammy = new Api(token)
const signal = new AbortController().signal

it('sends a message as grammY does', async () => {
  const target = { data: { chat_id: -100, message_thread_id: 7, reply_to_message_id: 101 } }
  const part = { text: '<b>hi</b> &amp; you', plain: 'hi & you' }
  const [theirs, ours] = await asked(
    () =>
      grammy.sendMessage(-100, part.text, {
        parse_mode: 'HTML',
        link_preview_options: { is_disabled: true },
        message_thread_id: 7,
        reply_parameters: { message_id: 101, allow_sending_without_reply: true },
      }),
    () => telegramChannel().send(target, part, { signal, index: 0, idempotencyKey: 'm:0' }),
  )
  expect(theirs).toHaveLength(1)
  expect(ours).toEqual(theirs)
})

it('shows that it is typing as grammY does', async () => {
  const [theirs, ours] = await asked(
    () => grammy.sendChatAction(-100, 'typing', { message_thread_id: 7 }),
    async () => telegramChannel().typing?.({ data: { chat_id: -100, message_thread_id: 7 } }, signal),
  )
  expect(theirs).toHaveLength(1)
  expect(ours).toEqual(theirs)
})

it('registers its webhook as grammY does', async () => {
  const url = 'https://home.example/api/channels/channel_a/webhook'
  const secret_token = await telegramSecret(token)
  const [theirs, ours] = await asked(
    () =>
      grammy.setWebhook(url, {
        secret_token,
        allowed_updates: ['message', 'callback_query', 'message_reaction'],
      }),
    async () => telegramChannel().setWebhook?.(url, signal),
  )
  expect(ours?.find(({ method }) => method === 'setWebhook')).toEqual(theirs?.[0])
})

it('asks for messages as grammY does', async () => {
  const stop = new AbortController()
  const [theirs, ours] = await asked(
    () =>
      grammy.getUpdates({
        offset: 5,
        timeout: 50,
        limit: 100,
        allowed_updates: ['message', 'callback_query', 'message_reaction'],
      }),
    async () => {
      results['getUpdates'] = [fixture('telegram-message-private.json')]
      await telegramChannel().poll?.({
        offset: 5,
        signal: stop.signal,
        accept: async () => stop.abort(),
      })
    },
  )
  expect(theirs).toHaveLength(1)
  expect(ours?.filter(({ method }) => method === 'getUpdates')).toEqual(theirs)
})
