import type { Settings } from '@homeward/contract/agent-platform'
import { without } from '../without.ts'
import type {
  Channel,
  ChannelContext,
  ChannelReply,
  ChannelRequest,
  ReceivedRequest,
} from '../../ports/channel.ts'
import { ChannelError } from '../channel-error.ts'
import { toTelegramHtml } from '../markdown/markdown-to-html.ts'
import { renderParts } from '../markdown/render-parts.ts'
import { parseTelegram, type ParsedUpdate, type TelegramSelf } from './parse-telegram.ts'
import { pollTelegram } from './poll-telegram.ts'
import { probeTelegram } from './probe-telegram.ts'
import { answerTelegramPress, sendTelegram, sendTelegramFile, typeTelegram } from './send-telegram.ts'
import { createTelegramApi } from './telegram-api.ts'
import { loadTelegramFile } from './telegram-files.ts'
import { createTelegramSelf } from './telegram-self.ts'
import { setTelegramWebhook } from './telegram-webhook.ts'
import { telegramSecret, verifyTelegram } from './verify-telegram.ts'

/** Below the platform's 4096, which it counts after the format is read. */
const maxText = 4000

/**
 * Creates a channel for Telegram (`channel_a`): by webhook, or by long polling while no webhook is set.
 *
 * @example
 * const context: ChannelContext = { apiBase: undefined, verify: 'on', fetch, now: Date.now }
 * const channel = createTelegramChannel({ channel_a_bot_token: token }, context)
 */
export function createTelegramChannel(settings: Settings, context: ChannelContext): Channel {
  const token = settings.channel_a_bot_token ?? ''
  const api = createTelegramApi(settings, context)
  const self = createTelegramSelf(api)
  return {
    id: 'channel_a',
    maxText,
    // Telegram knows no idempotency key: a repeat would be a second message
    isIdempotent: false,
    async receive(request) {
      const isProven = context.verify === 'off' || (await verifyTelegram(request, token))
      return isProven ? receiveUpdate(request, self) : answer(401, 'the secret token is missing or invalid')
    },
    render: (markdown) => renderParts(markdown, { maxLength: maxText, toText: toTelegramHtml }),
    toChatTarget: ({ data }) => ({ data: without(data, 'reply_to_message_id') }),
    send: (target, part, options) => sendTelegram(api, target, part, options),
    canReplace: true,
    answerPress: (press, text, signal) => answerTelegramPress(api, press, text, signal),
    sendFile: (target, file, options) => sendTelegramFile(api, target, file, options),
    loadFile: (reference, options) => loadTelegramFile(api, reference, options),
    typing: (target, signal) => typeTelegram(api, target, signal),
    poll: (options) => pollTelegram(api, self, context.now, options),
    setWebhook: (webhookUrl, signal) => setTelegramWebhook(api, token, webhookUrl, signal),
    async probe(signal) {
      const secrets = [token, await telegramSecret(token)]
      return probeTelegram(api, self, { now: context.now, secrets, signal })
    },
  }
}

async function receiveUpdate(request: ChannelRequest, self: TelegramSelf): Promise<ReceivedRequest> {
  let parsed: ParsedUpdate
  try {
    parsed = await parseTelegram(JSON.parse(new TextDecoder().decode(request.body)), self)
  } catch (error) {
    // without the bot's name nobody can tell whether it is meant: Telegram sends the message again
    if (ChannelError.is(error)) return answer(503, error.message)
    return answer(400, 'the body is not JSON')
  }
  if ('ignored' in parsed)
    return { ...answer(200, parsed.ignored), ...(parsed.reaction && { reaction: parsed.reaction }) }
  return { kind: 'message', reply: { status: 200 }, message: parsed.message }
}

function answer(status: ChannelReply['status'], why: string): ReceivedRequest & { readonly kind: 'reply' } {
  return { kind: 'reply', reply: { status }, why }
}
