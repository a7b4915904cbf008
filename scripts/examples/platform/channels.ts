import { telegramSecret } from '../../../packages/agent-runtime/src/channels/telegram/verify-telegram.ts'
import type { PlatformRecorder } from './agents-and-runs.ts'

const token = '200000002:AAexample-token-of-a-bot'
const ann = { id: 100_000_001, is_bot: false, first_name: 'Ann', username: 'ann' }

/** Records the channels, with Telegram as the messenger. */
export async function recordChannels(recorder: PlatformRecorder): Promise<void> {
  const { record, send, replace } = recorder
  await send('updateSettings', {
    body: {
      telegram_bot_token: token,
      telegram_default_agent_id: 'office',
      telegram_webhook_verify: 'on',
    },
  })
  const secret = await telegramSecret(token)
  replace(secret, 'example-secret')
  const channel = { channel: 'telegram' }
  await record('setChannelWebhook', { params: channel, body: { base_url: 'https://home.example.com' } })
  const write = (id: number, text: string, from = ann) => ({
    params: channel,
    headers: { 'X-Telegram-Bot-Api-Secret-Token': secret },
    body: {
      update_id: 900_000_000 + id,
      message: { message_id: id, from, chat: { ...from, type: 'private' }, date: 1_793_608_200, text },
    },
  })
  await record('receiveChannelWebhook', write(1, 'Hello'))
  const senders = await until(
    async () => (await send('listChannelSenders', { params: channel })).senders,
    (found) => found.some(({ code }) => code !== undefined),
  )
  await record('listChannelSenders', { params: channel })
  const code = senders[0]?.code ?? ''
  replace(code, 'K7WX4PQR')
  await record('pairChannelSender', { params: channel, body: { code } })
  await record('setChannelSender', {
    params: { ...channel, id: '100000002' },
    body: { status: 'blocked', kind: 'person', user_id: 'ann' },
  })
  await send('receiveChannelWebhook', write(2, 'What is on tomorrow?'))
  await settled(recorder, 'delivered', 'What is on tomorrow?')

  await record('setChannelRoutes', {
    params: channel,
    body: { routes: [{ conversation: '100000001', agent_id: 'office' }] },
  })
  await record('listChannelRoutes', { params: channel })
  const message = { conversation_id: '100000001', text: 'The meeting moved to 10:00.' }
  await record('sendChannelMessage', { params: channel, body: message })
  await settled(recorder, 'delivered', message.text)
  await send('sendChannelMessage', { params: channel, body: { ...message, text: 'This is undeliverable.' } })
  const failed = await settled(recorder, 'failed', 'This is undeliverable.')
  await record('listChannelMessages', { params: channel, query: { status: 'failed' } })
  await record('resolveChannelMessage', {
    params: { ...channel, id: failed.id },
    body: { decision: 'discard' },
  })
  await record('getChannelStatus', { params: channel, query: { probe: 'true' } })
}

/** Waits until a message has come to its end. */
async function settled({ send }: PlatformRecorder, status: string, text: string): Promise<{ id: string }> {
  const call = { params: { channel: 'telegram' }, query: { status } }
  const find = async () => (await send('listChannelMessages', call)).messages
  const messages = await until(find, (found) => found.some((message) => message.text === text))
  return messages.find((message) => message.text === text) as { id: string } // it was there
}

async function until<Value>(find: () => Promise<Value>, isThere: (value: Value) => boolean): Promise<Value> {
  for (;;) {
    const value = await find()
    if (isThere(value)) return value
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
