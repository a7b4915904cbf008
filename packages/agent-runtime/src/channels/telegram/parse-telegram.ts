import type { InboundMessage, InboundReaction } from '../../ports/channel.ts'
import { filesOfTelegram } from './telegram-files.ts'
import {
  TelegramUpdate,
  type TelegramMessage,
  type TelegramPress,
  type TelegramReaction,
  type TelegramUser,
} from './telegram-update.ts'

/** The bot itself, as far as a message has to be compared with it. */
export interface TelegramSelf {
  readonly id: number
  /** Its user name in lower case, without `@`. @throws {ChannelError} */
  username(): Promise<string>
  /** Takes the user name from a user that may be the bot. */
  learn(user: TelegramUser | undefined): void
}

/** A message for the pipeline, or why there is none. */
export type ParsedUpdate =
  | { readonly message: InboundMessage }
  | { readonly ignored: string; readonly reaction?: InboundReaction }

/**
 * Makes a message of an update.
 *
 * @throws {ChannelError} when the bot's own name is needed and could not be asked for.
 */
export async function parseTelegram(update: unknown, self: TelegramSelf): Promise<ParsedUpdate> {
  const parsed = TelegramUpdate.safeParse(update)
  if (!parsed.success) return { ignored: 'an update of an unknown shape' }
  const { update_id: updateId, message, callback_query: press, message_reaction: reaction } = parsed.data
  if (press) return parsePress(press, `channel_a:${self.id}:${updateId}`)
  if (reaction) return parseReaction(reaction)
  if (message === undefined) return { ignored: 'no new message' }
  if (message.is_automatic_forward === true) return { ignored: 'a post that its channel forwarded' }
  const sender = senderOf(message)
  if (sender === undefined) return { ignored: 'it has no sender' }
  if (sender === 'bot') return { ignored: 'a bot has sent it' }
  self.learn(message.reply_to_message?.from)

  const { isAddressed, text } = await readText(message, self)
  const files = filesOfTelegram(message)
  if (text === '' && files.length === 0) return { ignored: 'it has neither text nor files' }
  return {
    message: {
      dedupeKeys: [`channel_a:${self.id}:${updateId}`],
      ...placeOf(message),
      text,
      ...(files.length > 0 && { files }),
      sender,
      isAddressed,
      ...(isOfSomebodyElse(message) && { isQuoted: true }),
      target: { data: targetOf(message) },
    },
  }
}

/** Whether a person forwards what another one wrote, or what nobody can tell who wrote. */
const isOfSomebodyElse = ({ forward_origin: origin, from }: TelegramMessage): boolean =>
  origin !== undefined && (origin.sender_user === undefined || origin.sender_user.id !== from?.id)

/** A press of a button below one of the bot's own messages: its command, as if the person had typed it in that chat. */
function parsePress({ id, from, message, data }: TelegramPress, dedupeKey: string): ParsedUpdate {
  if (from.is_bot || message === undefined || data === undefined)
    return { ignored: 'a press of an unknown button' }
  const name = nameOf(from)
  return {
    message: {
      dedupeKeys: [dedupeKey],
      ...placeOf(message),
      text: data,
      sender: { id: String(from.id), ...(name !== '' && { name }) },
      isAddressed: true,
      target: { data: targetOf(message) },
      press: { id },
    },
  }
}

/** The thumb that was put on a message or taken away. Of two that are put on at once, the last one counts. */
function parseReaction({ chat, message_id: id, user, ...change }: TelegramReaction): ParsedUpdate {
  const before = change.old_reaction.flatMap(toThumb)
  const after = change.new_reaction.flatMap(toThumb)
  const rating =
    after.findLast((thumb) => !before.includes(thumb)) ?? before.find((thumb) => !after.includes(thumb))
  if (!user || user.is_bot || rating === undefined)
    return { ignored: 'a reaction without a thumb of a person' }
  const name = nameOf(user)
  return {
    ignored: 'a reaction',
    reaction: {
      messageId: String(id),
      target: { chat_id: chat.id },
      sender: { id: String(user.id), ...(name !== '' && { name }) },
      ...(chat.type !== 'private' && {
        group: { id: String(chat.id), ...(chat.title && { name: chat.title }) },
      }),
      rating,
      isRemoved: !after.includes(rating),
    },
  }
}

/** A thumb in any color of skin. */
function toThumb({ emoji = '' }: TelegramReaction['new_reaction'][number]): readonly ('up' | 'down')[] {
  if (emoji.startsWith('👍')) return ['up']
  return emoji.startsWith('👎') ? ['down'] : []
}

/** The conversation of a message, and its group. */
function placeOf(message: TelegramMessage): Pick<InboundMessage, 'conversationId' | 'group'> {
  const { id, type, title } = message.chat
  const place = ['channel_a', id, topicOf(message)].filter((part) => part !== undefined)
  return {
    conversationId: place.join(':'),
    ...(type !== 'private' && { group: { id: String(id), ...(title && { name: title }) } }),
  }
}

/**
 * Who wrote a message. Telegram puts a bot in place of a person who writes as a group or a channel (`GroupAnonymousBot`,
 * `Channel_Bot`) and names the group or channel in `sender_chat`.
 */
function senderOf({
  from,
  sender_chat: chat,
}: TelegramMessage): InboundMessage['sender'] | 'bot' | undefined {
  if (chat) return { id: String(chat.id), ...(chat.title && { name: chat.title }) }
  if (from === undefined) return undefined
  if (from.is_bot) return 'bot'
  const name = nameOf(from)
  return { id: String(from.id), ...(name !== '' && { name }) }
}

/** The text without the bot's own name, and whether the bot is meant by it. */
async function readText(
  message: TelegramMessage,
  self: TelegramSelf,
): Promise<{ isAddressed: boolean; text: string }> {
  const text = message.text ?? message.caption ?? ''
  const isPrivate = message.chat.type === 'private'
  const entities = message.entities ?? message.caption_entities ?? []
  // in a private chat a name is a part of the text, but for that of a command
  const naming = isPrivate ? entities.filter(({ type }) => type === 'bot_command') : entities
  const names = await namesOfSelf(text, naming, self)
  let stripped = text
  for (const { start, end } of names.toReversed()) {
    stripped = stripped.slice(0, start).trimEnd() + stripped.slice(end)
  }
  return { isAddressed: isPrivate || names.length > 0 || isReplyTo(self, message), text: stripped.trim() }
}

/** Where a text names the bot: `@name`, `/command@name` (the name of it), or a mention without a user name. */
async function namesOfSelf(
  text: string,
  entities: NonNullable<TelegramMessage['entities']>,
  self: TelegramSelf,
): Promise<{ start: number; end: number }[]> {
  const found = []
  for (const { type, offset, length, user } of entities) {
    const named = text.slice(offset, offset + length)
    const at = named.indexOf('@')
    const isName = (type === 'mention' && at === 0) || (type === 'bot_command' && at > 0)
    const isSelf =
      type === 'text_mention'
        ? user?.id === self.id
        : isName && named.slice(at + 1).toLowerCase() === (await self.username())
    if (isSelf) found.push({ start: offset + Math.max(at, 0) * Number(isName), end: offset + length })
  }
  return found.toSorted((one, other) => one.start - other.start)
}

/** Every message of a topic "replies" to the message that opened it: that one says nothing. */
function isReplyTo(self: TelegramSelf, { reply_to_message: replied }: TelegramMessage): boolean {
  return replied?.from?.id === self.id && replied.forum_topic_created === undefined
}

/** A topic of a forum. A thread that is none is a chain of replies, also in a forum: it splits no conversation. */
function topicOf({ message_thread_id, is_topic_message }: TelegramMessage): number | undefined {
  return is_topic_message === true ? message_thread_id : undefined
}

function targetOf(message: TelegramMessage): Record<string, number> {
  const topic = topicOf(message)
  return {
    chat_id: message.chat.id,
    ...(topic !== undefined && { message_thread_id: topic }),
    ...(message.chat.type !== 'private' && { reply_to_message_id: message.message_id }),
  }
}

const nameOf = ({ first_name, last_name, username }: TelegramUser): string =>
  [first_name, last_name].filter(Boolean).join(' ') || (username ?? '')
