import { fieldsOf, isTrue, nameOf } from './bridge-body.ts'
import { readWhatsappFiles } from './bridge-files.ts'
import type { Fields } from './bridge-body.ts'
import type { BridgeMessage, Ignored } from './bridge-message.ts'

/** Whether a body is an event of go-whatsapp-web-multidevice. */
export function isWhatsapp(body: Fields): boolean {
  return typeof body.event === 'string' && typeof body.payload === 'object' && body.payload !== null
}

/** An event of go-whatsapp-web-multidevice. */
export function parseWhatsapp(body: Fields): BridgeMessage | Ignored {
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
