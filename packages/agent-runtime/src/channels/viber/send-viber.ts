import * as z from 'zod/mini'
import type { MessageButton, OutPart, ReplyTarget, SendOptions } from '../../ports/channel.ts'
import { ChannelError } from '../channel-error.ts'
import type { ViberName } from './viber-account.ts'
import type { ViberApi } from './viber-api.ts'
import { tokenOf } from './parse-viber.ts'

const Target = z.object({ receiver: z.string().check(z.minLength(1)) })
const Sent = z.object({ message_token: z.optional(z.union([z.number(), z.string()])) })

/** Sends one part as plain text, with buttons in place of the keyboard. @throws {ChannelError} */
export async function sendViber(
  api: ViberApi,
  name: ViberName,
  { data }: ReplyTarget,
  part: OutPart,
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
export function toViberText(text: string, senderName: string): object {
  // control characters and broken pairs would grow to six bytes each, and show nothing
  const shown = text.toWellFormed().replaceAll(/[^\P{Cc}\n\t]/gu, '')
  return { type: 'text', sender: { name: senderName }, text: shown }
}
