import type { ChannelReply, InboundMessage, ReceivedRequest } from '../../ports/channel.ts'
import { toHex } from '../webhooks/verify-hmac.ts'
import { fieldsOf, isTrue, nameOf, type Fields } from './bridge-body.ts'
import type { BridgeMessage, Ignored } from './bridge-message.ts'
import { isSignal, parseSignal } from './parse-signal.ts'
import { readFiles, readWhatsappFiles } from './bridge-files.ts'

/** Longest id that is kept as it is: a prefix fits beside it. */
const maxIdLength = 150
/** How long a message without an id counts as seen. Longer, and "yes" could not be said twice. */
const withoutIdMs = 60_000

/** What a body that was verified means. The answer to it never holds the agent's: a bridge waits for this one. */
export async function parseBridge(bytes: Uint8Array): Promise<ReceivedRequest> {
  const body = parseJson(bytes)
  if (body === undefined) return { kind: 'reply', reply: { status: 400 }, why: 'the body is not JSON' }
  const fields = fieldsOf(body)
  const parse = isSignal(fields) ? parseSignal : isWhatsapp(fields) ? parseWhatsapp : parseGeneric
  const parsed = parse(fields)
  if ('ignored' in parsed) {
    const { ignored, reaction } = parsed
    const reply = toReply({ ok: true, ignored })
    return { kind: 'reply', reply, why: ignored, ...(reaction && { reaction }) }
  }
  return { kind: 'message', reply: toReply({ ok: true }), message: await toInbound(parsed) }
}

async function toInbound(message: BridgeMessage): Promise<InboundMessage> {
  const { sender, conversation, isGroup, to, account, text, files, isAddressed, replyTo, sentAt } = message
  const conversationId = `channel_d:${await toShortId(conversation)}`
  const known = message.id && `${conversationId}:${await toShortId(message.id)}`
  const attached = files.map(({ name, bytes, reference }) => [name, bytes, reference])
  const content = JSON.stringify([sender.id, sentAt ?? null, text, ...attached])
  return {
    dedupeKeys: [known ?? `channel_d:${await digest(content)}`],
    ...(!known && { dedupeForMs: withoutIdMs }),
    conversationId,
    text,
    ...(files.length > 0 && { files }),
    sender,
    ...(isGroup && { group: { id: conversation } }),
    isAddressed,
    target: {
      data: {
        conversation_id: conversation,
        to,
        ...(replyTo && { reply_to: replyTo }),
        ...(account && { account }),
      },
    },
  }
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}

function toReply(body: object): ChannelReply {
  return { status: 200, contentType: 'application/json', body: JSON.stringify(body) }
}

/** An id of any length as one that every store takes. */
async function toShortId(id: string): Promise<string> {
  return id.length <= maxIdLength ? id : `${id.slice(0, 40)}~${await digest(id)}`
}

async function digest(content: string): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(content))))
}

/** A message in the bridge's own shape: a sender and a text at least, under one of several names. */
function parseGeneric(body: Fields): BridgeMessage | Ignored {
  const person = fieldsOf(body.sender)
  const sender = nameOf(body.sender, person.id, body.from, body.user_id, body.chat_id)
  if (!sender) return { ignored: 'no sender' }
  if (isTrue(body.from_me, body.is_from_me)) return { ignored: 'own message' }
  if (isTrue(person.is_bot, body.is_bot)) return { ignored: 'a bot' }
  const text = textOf(body) ?? ''
  const files = readFiles(body.files)
  if (text === '' && files.length === 0) return { ignored: 'no text' }
  const id = nameOf(body.id, body.message_id)
  const name = nameOf(person.name, body.name)
  const isGroup = isTrue(body.is_group)
  const conversation = nameOf(body.conversation_id, body.chat_id)
  return {
    id,
    sender: { id: sender, ...(name && { name }) },
    conversation: conversation ?? sender,
    isGroup,
    to: nameOf(body.chat_id) ?? (isGroup ? (conversation ?? sender) : sender),
    account: nameOf(body.account),
    text,
    files,
    isAddressed: !isGroup || isTrue(body.mentioned),
    replyTo: id,
    sentAt: nameOf(body.timestamp),
  }
}

/** The text under one of its names, or in an object there: `{"text": {"body": "…"}}`. */
function textOf(body: Fields): string | undefined {
  for (const value of [body.text, body.message, body.body]) {
    const inner = fieldsOf(value)
    const text = [value, inner.body, inner.text].find((entry) => typeof entry === 'string')
    const trimmed = nameOf(text)
    if (trimmed) return trimmed
  }
  return undefined
}

/** Whether a body is an event of go-whatsapp-web-multidevice. */
function isWhatsapp(body: Fields): boolean {
  return typeof body.event === 'string' && typeof body.payload === 'object' && body.payload !== null
}

/** An event of go-whatsapp-web-multidevice. */
function parseWhatsapp(body: Fields): BridgeMessage | Ignored {
  if (body.event !== 'message') return { ignored: `event ${String(body.event).slice(0, 60)}` }
  const payload = fieldsOf(body.payload)
  if (isTrue(payload.is_from_me)) return { ignored: 'own message' }
  const sender = nameOf(payload.from, payload.chat_id)
  if (!sender) return { ignored: 'no sender' }
  const chat = nameOf(payload.chat_id) ?? sender
  if (chat === 'status@broadcast') return { ignored: 'status' }
  const account = nameOf(body.device_id)
  const own = account && userOf(account)
  const { files, caption } = readWhatsappFiles(payload)
  const [text = '', isCalled] = withoutCall(nameOf(payload.body, caption), own)
  if (text === '' && files.length === 0) return { ignored: 'no text' }
  const id = nameOf(payload.id)
  const name = nameOf(payload.from_name)
  const isGroup = chat.endsWith('@g.us')
  const mentioned = Array.isArray(payload.mentions) ? payload.mentions.map((jid) => userOf(String(jid))) : []
  return {
    id,
    sender: { id: sender, ...(name && { name }) },
    conversation: chat,
    isGroup,
    to: chat,
    account,
    text,
    files,
    isAddressed: !isGroup || isCalled || isTrue(payload.mentioned) || (!!own && mentioned.includes(own)),
    replyTo: id,
    sentAt: nameOf(payload.timestamp),
  }
}

/** `15550100` of `15550100:12@s.whatsapp.net`. */
function userOf(jid: string): string {
  return jid.split(/[:@]/, 1)[0] ?? jid
}

/** A text without `@<own number>`, and whether it held that. */
function withoutCall(
  text: string | undefined,
  own: string | undefined,
): readonly [string | undefined, boolean] {
  if (!text || !own || !/^\d+$/.test(own)) return [text, false]
  const call = new RegExp(String.raw`@${own}(?!\d)\s*`, 'g')
  return call.test(text) ? [nameOf(text.replaceAll(call, '')), true] : [text, false]
}
