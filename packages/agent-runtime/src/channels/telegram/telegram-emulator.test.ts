import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { http, HttpResponse, passthrough } from 'msw'
import { setupServer } from 'msw/node'
import telegramTestApi from 'telegram-test-api'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { InboundMessage } from '../../ports/channel.ts'
import { telegramChannel, token } from './testing/telegram-kit.ts'

// its types say that the class is the default of the module, and it is the module
const TelegramServer = telegramTestApi as unknown as typeof telegramTestApi.default
const emulator = new TelegramServer({
  port: await freePort(),
  host: '127.0.0.1',
  protocol: 'http',
  storage: 'RAM',
  storeTimeout: 60,
})
const server = setupServer(
  // the one method of ours that the emulator does not know
  http.post(`*/bot${token}/getWebhookInfo`, () =>
    HttpResponse.json({
      ok: true,
      result: { url: '', has_custom_certificate: false, pending_update_count: 0 },
    }),
  ),
  http.all('*', () => passthrough()),
)
beforeAll(async () => {
  server.listen()
  await emulator.start()
})
afterAll(async () => {
  await emulator.stop()
  server.close()
})

it('answers a person in an emulator of the Bot API, asked by polling', async () => {
  const channel = telegramChannel({ apiBase: emulator.config.apiURL })
  const person = emulator.getClient(token, { userId: 7, chatId: 7, firstName: 'Ann', timeout: 10_000 })
  await person.sendMessage(person.makeMessage('what is 6 x 7?'))
  const stop = new AbortController()
  const arrived = Promise.withResolvers<InboundMessage>()
  const polling = channel.poll?.({
    offset: undefined,
    signal: stop.signal,
    async accept([message]) {
      if (message) arrived.resolve(message)
    },
  })
  const message = await arrived.promise
  stop.abort()
  await polling
  expect(message).toMatchObject({ text: 'what is 6 x 7?', sender: { id: '7' }, isAddressed: true })
  for (const [index, part] of channel.render('It is **42**.').entries()) {
    await channel.send(message.target, part, {
      signal: new AbortController().signal,
      index,
      idempotencyKey: `k:${index}`,
    })
  }
  const { result } = await person.getUpdates()
  expect(result.map(({ message: { chat_id, text } }) => [chat_id, text])).toEqual([[7, 'It is <b>42</b>.']])
})

/** The emulator cannot say which port it got. */
async function freePort(): Promise<number> {
  const probe = createServer()
  await once(probe.listen(0, '127.0.0.1'), 'listening')
  const { port } = probe.address() as AddressInfo // a server on a port has one
  probe.close()
  await once(probe, 'close')
  return port
}
