import type { Settings } from '@homeward/contract/agent-platform'
import type {
  Channel,
  ChannelContext,
  ChannelRequest,
  ReceivedRequest,
  ChannelProbe,
  MessageButton,
  OutboundPart,
  ReplyTarget,
  SendOptions,
} from '../../ports/channel.ts'
import { toPlainText } from '../markdown/markdown-to-plain.ts'
import { renderParts } from '../markdown/render-parts.ts'
import { parseViber, type ParsedCallback, tokenOf } from './parse-viber.ts'
import { createViberName, getViberAccount, type ViberAccount, type ViberName } from './viber-account.ts'
import { createViberApi, type ViberApi } from './viber-api.ts'
import { loadViberFile } from './viber-files.ts'
import { isHmacSha256 } from '../webhooks/verify-hmac.ts'
import { ChannelError } from '../channel-error.ts'
import { isOwnWebhook, showWebhook } from '../webhooks/webhook-address.ts'
import * as z from 'zod/mini'

const maxText = 7000

/** What somebody reads who opens the chat for the first time: before they write, nothing else may be sent. */
const welcome = 'Hello! Write a message to begin.'

/**
 * Creates a channel for Viber (`channel_e`): by webhook only.
 *
 * @example
 * const context: ChannelContext = { apiBase: undefined, verify: 'on', fetch, now: Date.now }
 * const channel = createViberChannel({ channel_e_auth_token: token }, context)
 */
export function createViberChannel(settings: Settings, context: ChannelContext): Channel {
  const token = settings.channel_e_auth_token ?? ''
  const api = createViberApi(settings, context)
  const name = createViberName(api, context.now)
  return {
    id: 'channel_e',
    maxText,
    // Viber knows no idempotency key: a repeat would be a second message
    isIdempotent: false,
    async receive(request) {
      const isProven = context.verify === 'off' || (await verifyViber(request, token))
      return isProven
        ? receiveCallback(request, name.known())
        : answer(401, 'the signature is missing or invalid')
    },
    render: (markdown) => renderParts(markdown, { maxLength: maxText, toText: toPlainText }),
    send: (target, part, options) => sendViber(api, name, target, part, options),
    loadFile: (reference, options) => loadViberFile(context, reference, options),
    setWebhook: (webhookUrl, signal) => setViberWebhook(api, webhookUrl, signal),
    probe: (signal) => probeViber(api, name, signal),
  }
}

function receiveCallback(request: ChannelRequest, senderName: string): ReceivedRequest {
  let parsed: ParsedCallback
  try {
    parsed = parseViber(request.body)
  } catch {
    return answer(400, 'the body is not JSON')
  }
  if ('ignored' in parsed) return answer(200, parsed.ignored)
  if ('message' in parsed) return { kind: 'message', reply: { status: 200 }, message: parsed.message }
  const body = JSON.stringify(toViberText(welcome, senderName))
  return {
    kind: 'reply',
    reply: { status: 200, contentType: 'application/json', body },
    why: 'a user has opened the chat',
  }
}

function answer(status: number, why: string): ReceivedRequest {
  return { kind: 'reply', reply: { status }, why }
}

/** Whether the bot's token has signed the bytes of a webhook request. Never without a token. */
async function verifyViber(request: ChannelRequest, token: string): Promise<boolean> {
  return isHmacSha256(token, request.body, request.header('x-viber-content-signature'))
}

/** `delivered` and `seen` would be two more calls for each answer. */
const eventTypes = ['message', 'conversation_started', 'subscribed', 'unsubscribed', 'failed']

/** Registers an address with Viber, which calls it before it answers. @throws {ChannelError} */
async function setViberWebhook(api: ViberApi, webhookUrl: string, signal: AbortSignal): Promise<void> {
  if (!URL.canParse(webhookUrl) || new URL(webhookUrl).protocol !== 'https:') {
    throw new ChannelError(
      'permanent',
      'Setting the Viber webhook failed: Viber calls only https addresses. Use an https address.',
    )
  }
  const settings = { url: new URL(webhookUrl).href, event_types: eventTypes, send_name: true }
  await api.call('set_webhook', settings, { signal, timeoutMs: 30_000 })
}

/** Asks Viber about the bot and its webhook. Never throws. */
async function probeViber(api: ViberApi, name: ViberName, signal: AbortSignal): Promise<ChannelProbe> {
  try {
    const account = await getViberAccount(api, signal)
    name.learn(account)
    const warnings = judge(account)
    const { webhook = '' } = account
    return {
      ok: warnings.length === 0,
      identity: account.name,
      ...(webhook !== '' && { webhookUrl: showWebhook('channel_e', webhook) }),
      warnings,
    }
  } catch (error) {
    const why = ChannelError.is(error) ? error.message : 'Checking Viber failed: the request was canceled.'
    return { ok: false, warnings: [why] }
  }
}

function judge({ webhook = '', event_types: events }: ViberAccount): string[] {
  if (webhook === '')
    return ['No Viber webhook is set, so messages are neither received nor sent. Run set-webhook.']
  if (!isOwnWebhook('channel_e', webhook)) {
    const shown = showWebhook('channel_e', webhook)
    return [
      `Viber calls a webhook of another program (${shown}), so messages do not arrive here. Run set-webhook to replace it.`,
    ]
  }
  if (events === undefined || events.includes('message')) return []
  return ['The Viber webhook does not receive messages. Run set-webhook again.']
}

const Target = z.object({ receiver: z.string().check(z.minLength(1)) })
const Sent = z.object({ message_token: z.optional(z.union([z.number(), z.string()])) })

/** Sends one part as plain text, with buttons in place of the keyboard. @throws {ChannelError} */
async function sendViber(
  api: ViberApi,
  name: ViberName,
  { data }: ReplyTarget,
  part: OutboundPart,
  { signal, notice }: Pick<SendOptions, 'signal' | 'notice'>,
): Promise<{ id?: string }> {
  const target = Target.safeParse(data)
  if (!target.success) {
    throw new ChannelError(
      'permanent',
      'Viber send_message failed: the incoming message does not name a user.',
    )
  }
  const reply = await api.call(
    'send_message',
    {
      receiver: target.data.receiver,
      min_api_version: 1,
      ...toViberText(part.text, await name.get(signal)),
      ...(notice?.buttons && { keyboard: toKeyboard(notice.buttons) }),
    },
    { signal },
  )
  const sent = Sent.safeParse(reply.json)
  const id = sent.success ? tokenOf(reply.text, sent.data.message_token) : undefined
  return id === undefined ? {} : { id }
}

/** A press sends its command as a message of the person. */
const toKeyboard = (buttons: readonly MessageButton[]) => ({
  Type: 'keyboard',
  Buttons: buttons.map(({ label, command }) => ({
    ActionType: 'reply',
    ActionBody: command,
    Text: label,
    Columns: 3,
    Rows: 1,
  })),
})

/** A text as Viber's JSON: at most 21 KB for 7000 characters, of the 30 KB that a request may have. */
function toViberText(text: string, senderName: string): object {
  // control characters and broken pairs would grow to six bytes each, and show nothing
  const shown = text.toWellFormed().replaceAll(/[^\P{Cc}\n\t]/gu, '')
  return { type: 'text', sender: { name: senderName }, text: shown }
}
