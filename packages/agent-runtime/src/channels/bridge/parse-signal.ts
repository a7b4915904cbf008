import { fieldsOf, nameOf } from './bridge-body.ts'
import { readSignalFiles } from './bridge-files.ts'
import type { Fields } from './bridge-body.ts'
import type { BridgeMessage, Ignored } from './bridge-message.ts'

/** What stands in a text where a person is mentioned. */
const placeholder = '\uFFFC'

/** More mentions in one message stay placeholders. */
const maxMentions = 100

/** Whether a body is a line of signal-cli, as signal-cli-rest-api passes it on. */
export function isSignal(body: Fields): boolean {
  return body.method === 'receive' && 'params' in body
}

/** A received line of signal-cli: with the envelope in `params`, or in `params.result` of a subscription. */
export function parseSignal(body: Fields): BridgeMessage | Ignored {
  const params = fieldsOf(body.params)
  const inner = 'envelope' in params ? params : fieldsOf(params.result)
  const envelope = fieldsOf(inner.envelope)
  const account = nameOf(inner.account)
  const sender = nameOf(envelope.sourceNumber, envelope.sourceUuid, envelope.source)
  const message = fieldsOf(envelope.dataMessage)
  if (!('dataMessage' in envelope)) return { ignored: kindOf(envelope) }
  if (!sender) return { ignored: 'no sender' }
  // its own phone: an answer would be answered again
  if (sender === account) return { ignored: 'own message' }
  const name = nameOf(envelope.sourceName)
  const person = { id: sender, ...(name && { name }) }
  if ('reaction' in message) return parseReaction(message, person, account)
  const mentions = listOf(message.mentions)
  const text = withMentions(message.message, mentions, account) ?? ''
  const files = readSignalFiles(message)
  if (text === '' && files.length === 0) return { ignored: 'no text' }
  const group = nameOf(fieldsOf(message.groupInfo).groupId)
  const sentAt = nameOf(message.timestamp, envelope.timestamp)
  return {
    id: sentAt && `${account ?? ''}:${sender}:${sentAt}`,
    sender: person,
    conversation: group ?? sender,
    isGroup: group !== undefined,
    to: group ? `group.${toBase64(group)}` : sender,
    account,
    text,
    files,
    isAddressed: !group || isMentioned(mentions, account) || isQuoted(message, account),
    replyTo: sentAt,
    sentAt,
  }
}

/** A thumb on a message of the account. Messages of others have their times too, which may be the same. */
function parseReaction(
  message: Fields,
  sender: BridgeMessage['sender'],
  account: string | undefined,
): Ignored {
  const { emoji, targetAuthor, targetAuthorNumber, targetSentTimestamp, isRemove } = fieldsOf(
    message.reaction,
  )
  const group = nameOf(fieldsOf(message.groupInfo).groupId)
  const messageId = nameOf(targetSentTimestamp)
  const thumb = /^(?:👍|👎)/u.exec(nameOf(emoji) ?? '')?.[0]
  const isOwn = account === undefined || [targetAuthor, targetAuthorNumber].includes(account)
  if (!isOwn || messageId === undefined || thumb === undefined)
    return { ignored: 'a reaction without a thumb' }
  return {
    ignored: 'a reaction',
    reaction: {
      messageId,
      target: { conversation_id: group ?? sender.id },
      sender,
      ...(group && { group: { id: group } }),
      rating: thumb === '👍' ? 'up' : 'down',
      isRemoved: isRemove === true,
    },
  }
}

function kindOf(envelope: Fields): string {
  const kinds = [
    'typingMessage',
    'receiptMessage',
    'syncMessage',
    'editMessage',
    'callMessage',
    'storyMessage',
  ]
  return kinds.find((kind) => kind in envelope) ?? 'no message'
}

/** The text with names in place of the placeholders, without the account's own. Offsets are UTF-16 units. */
function withMentions(
  value: unknown,
  mentions: readonly Fields[],
  account: string | undefined,
): string | undefined {
  let text = nameOf(value)
  if (text === undefined || typeof value !== 'string') return undefined
  text = value
  const fromTheEnd = mentions.toSorted((a, b) => Number(b.start) - Number(a.start))
  for (const mention of fromTheEnd) {
    const { start, length } = mention
    if (typeof start !== 'number' || typeof length !== 'number' || text[start] !== placeholder) continue
    const name = isAccount(mention, account) ? '' : `@${nameOf(mention.name, mention.number) ?? ''}`
    text = text.slice(0, start) + name + text.slice(start + Math.max(1, length))
  }
  return nameOf(text)
}

function isMentioned(mentions: readonly Fields[], account: string | undefined): boolean {
  return mentions.some((mention) => isAccount(mention, account))
}

function isQuoted(message: Fields, account: string | undefined): boolean {
  const quote = fieldsOf(message.quote)
  return account !== undefined && [quote.author, quote.authorNumber, quote.authorUuid].includes(account)
}

function isAccount(mention: Fields, account: string | undefined): boolean {
  return account !== undefined && (mention.number === account || mention.uuid === account)
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.slice(0, maxMentions).map(fieldsOf) : []
}

function toBase64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''))
}
