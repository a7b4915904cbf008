import type { ChannelReply, InboundMessage, ReceivedRequest } from '../../ports/channel.ts'
import { toHex } from '../webhooks/verify-hmac.ts'
import { fieldsOf } from './bridge-body.ts'
import type { BridgeMessage } from './bridge-message.ts'
import { parseGeneric } from './parse-generic.ts'
import { isSignal, parseSignal } from './parse-signal.ts'
import { isWhatsapp, parseWhatsapp } from './parse-whatsapp.ts'

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
    return { kind: 'reply', reply: toReply({ ok: true, ignored: parsed.ignored }), why: parsed.ignored }
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
