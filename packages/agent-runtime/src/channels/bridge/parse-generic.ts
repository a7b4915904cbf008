import { fieldsOf, isTrue, nameOf } from './bridge-body.ts'
import { readFiles } from './bridge-files.ts'
import type { Fields } from './bridge-body.ts'
import type { BridgeMessage, Ignored } from './bridge-message.ts'

/** A message in the bridge's own shape: a sender and a text at least, under one of several names. */
export function parseGeneric(body: Fields): BridgeMessage | Ignored {
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
