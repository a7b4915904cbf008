import * as z from 'zod/mini'
import type {
  ButtonPress,
  MessageButton,
  OutboundFile,
  OutboundPart,
  ReplyTarget,
  SendOptions,
} from '../../ports/channel.ts'
import { toFileForm, uploadTimeoutMs } from '../files/file-form.ts'
import { ChannelError } from '../channel-error.ts'
import type { TelegramApi } from './telegram-api.ts'
import { TelegramError } from './telegram-error.ts'

const Target = z.object({
  chat_id: z.int(),
  message_thread_id: z.optional(z.int()),
  reply_to_message_id: z.optional(z.int()),
})
type Target = z.infer<typeof Target>

const Sent = z.object({ message_id: z.int() })

/** Most characters of a text that Telegram shows for a press. */
const maxPressText = 200

/**
 * Sends one part. A group that moved is followed, and a topic that is gone is left for the chat: both refusals say
 * that nothing was sent.
 *
 * @throws {ChannelError}
 */
export async function sendTelegram(
  api: TelegramApi,
  { data }: ReplyTarget,
  part: OutboundPart,
  { signal, index, notice = {} }: Pick<SendOptions, 'signal' | 'index' | 'notice'>,
): Promise<{ id?: string }> {
  const target = toTarget(data)
  const { replaces, buttons } = notice
  if (replaces !== undefined && (await replaceTelegram(api, target, { part, replaces, signal }))) {
    return { id: replaces }
  }
  return sendToChat(target, (chat) =>
    api.call('sendMessage', toMessage(chat, part, index, buttons), { signal }),
  )
}

/** Sends to a chat, and to where it has moved. */
async function sendToChat(
  first: Target,
  send: (target: Target) => Promise<unknown>,
): Promise<{ id?: string }> {
  let target = first
  for (let tries = 0; ; tries += 1) {
    try {
      const sent = Sent.safeParse(await send(target))
      return sent.success ? { id: String(sent.data.message_id) } : {}
    } catch (error) {
      const elsewhere = tries < 2 && error instanceof TelegramError ? moved(target, error) : undefined
      if (elsewhere === undefined) throw error
      target = elsewhere
    }
  }
}

/** Largest picture that Telegram shows as one, in bytes. */
const maxPhotoBytes = 10 * 1024 * 1024

/** Sends a file, as a picture or as sound if it is one and Telegram takes it as such. @throws {ChannelError} */
export async function sendTelegramFile(
  api: TelegramApi,
  { data }: ReplyTarget,
  file: OutboundFile,
  { signal }: Pick<SendOptions, 'signal'>,
): Promise<{ id?: string }> {
  const isPhoto = /^image\/(?:jpeg|png|webp)$/.test(file.mediaType) && file.content.length <= maxPhotoBytes
  const isAudio = /^audio\/(?:mpeg|mp4)$/.test(file.mediaType)
  const kind = isPhoto ? 'Photo' : isAudio ? 'Audio' : 'Document'
  const sendAs = (as: string) => (target: Target) => {
    const { chat_id, message_thread_id } = target
    const form = toFileForm({ chat_id, message_thread_id }, as.toLowerCase(), file)
    return api.call(`send${as}`, form, { signal, timeoutMs: uploadTimeoutMs })
  }
  const target = toTarget(data)
  try {
    return await sendToChat(target, sendAs(kind))
  } catch (error) {
    // such as a picture of odd dimensions: nothing was sent
    if (kind === 'Document' || !(error instanceof TelegramError) || error.status !== 400) throw error
    return sendToChat(target, sendAs('Document'))
  }
}

/** Replaces a message and takes its buttons away. @returns false if Telegram does not: the chat gets a new message. */
async function replaceTelegram(
  api: TelegramApi,
  { chat_id }: Target,
  {
    part,
    replaces,
    signal,
  }: { readonly part: OutboundPart; readonly replaces: string; readonly signal: AbortSignal },
): Promise<boolean> {
  const edit = { chat_id, message_id: Number(replaces), ...toText(part) }
  try {
    await api.call('editMessageText', edit, { signal })
    return true
  } catch (error) {
    if (!(error instanceof TelegramError) || error.status !== 400) throw error
    return error.isUnchanged
  }
}

/** Ends the sign that a button works, and shows the person a text. Never throws. */
export async function answerTelegramPress(
  api: TelegramApi,
  { id }: ButtonPress,
  text: string,
  signal: AbortSignal,
): Promise<void> {
  const shown = text.replaceAll('`', '').slice(0, maxPressText).toWellFormed()
  const answer = { callback_query_id: id, ...(shown && { text: shown, show_alert: true }) }
  await api.call('answerCallbackQuery', answer, { signal, timeoutMs: 5000 }).catch(() => undefined)
}

/** Shows "typing…" for five seconds. Never throws. */
export async function typeTelegram(
  api: TelegramApi,
  { data }: ReplyTarget,
  signal: AbortSignal,
): Promise<void> {
  const target = Target.safeParse(data)
  if (!target.success) return
  const { chat_id, message_thread_id } = target.data
  const action = { chat_id, action: 'typing', ...(message_thread_id !== undefined && { message_thread_id }) }
  // a sign of life, not worth an error
  await api.call('sendChatAction', action, { signal, timeoutMs: 4000 }).catch(() => undefined)
}

function toTarget(data: unknown): Target {
  const target = Target.safeParse(data)
  if (target.success) return target.data
  throw new ChannelError(
    'permanent',
    'Telegram sendMessage failed: the incoming message does not name a chat.',
  )
}

function toText(part: OutboundPart): object {
  return {
    // Telegram refuses the whole request for half a surrogate pair
    text: part.text.toWellFormed(),
    // a text that is its own plain text holds no tags: nothing to parse, nothing to refuse
    ...(part.text !== part.plain && { parse_mode: 'HTML' }),
    // a preview would fetch addresses that the model wrote
    link_preview_options: { is_disabled: true },
  }
}

/** Two buttons are side by side, more below each other. */
const toKeyboard = (buttons: readonly MessageButton[]) => {
  const keys = buttons.map(({ label, command }) => ({ text: label, callback_data: command }))
  return { inline_keyboard: keys.length > 2 ? keys.map((key) => [key]) : [keys] }
}

function toMessage(
  target: Target,
  part: OutboundPart,
  index: number,
  buttons?: readonly MessageButton[],
): object {
  return {
    chat_id: target.chat_id,
    ...toText(part),
    ...(buttons && { reply_markup: toKeyboard(buttons) }),
    ...(target.message_thread_id !== undefined && { message_thread_id: target.message_thread_id }),
    ...(index === 0 &&
      target.reply_to_message_id !== undefined && {
        reply_parameters: { message_id: target.reply_to_message_id, allow_sending_without_reply: true },
      }),
  }
}

function moved(target: Target, error: TelegramError): Target | undefined {
  if (error.migrateToChatId !== undefined && error.migrateToChatId !== target.chat_id) {
    return { chat_id: error.migrateToChatId }
  }
  if (!error.isTopicGone || target.message_thread_id === undefined) return undefined
  const { message_thread_id: _gone, ...chat } = target
  return chat
}
