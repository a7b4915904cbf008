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
  const mentions = listOf(message.mentions)
  const text = withMentions(message.message, mentions, account) ?? ''
  const files = readSignalFiles(message)
  if (text === '' && files.length === 0) return { ignored: 'no text' }
  const group = nameOf(fieldsOf(message.groupInfo).groupId)
  const sentAt = nameOf(message.timestamp, envelope.timestamp)
  const name = nameOf(envelope.sourceName)
  return {
    id: sentAt && `${account ?? ''}:${sender}:${sentAt}`,
    sender: { id: sender, ...(name && { name }) },
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
