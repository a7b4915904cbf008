import * as z from 'zod/mini'
import type { InboundMessage } from '../../ports/channel.ts'
import { filesOfViber } from './viber-files.ts'

const Callback = z.object({
  event: z.string(),
  timestamp: z.optional(z.number()),
  /** Rounded: it has 64 bits. The digits are taken from the bytes. */
  message_token: z.optional(z.union([z.number(), z.string()])),
  sender: z.optional(z.object({ id: z.string(), name: z.optional(z.string()) })),
  message: z.optional(
    z.object({
      type: z.optional(z.string()),
      text: z.optional(z.string()),
      /** Address of a picture, a video, a file or a sticker. */
      media: z.optional(z.string()),
      file_name: z.optional(z.string()),
      size: z.optional(z.number()),
    }),
  ),
  subscribed: z.optional(z.boolean()),
  desc: z.optional(z.string()),
})
type Callback = z.infer<typeof Callback>
/** What this channel reads of the message itself. */
export type ViberMessage = NonNullable<Callback['message']>

/**
 * How long a token is known. Viber signs no time of the request, so whoever captured one could send it
 * again when its token is forgotten (A22); Viber itself tries for an hour.
 */
const dedupeForMs = 365 * 24 * 60 * 60 * 1000

/** What is to be done with a callback. */
export type ParsedCallback =
  | { readonly message: InboundMessage }
  /** Somebody has opened the chat: the only moment to greet. */
  | { readonly greet: true }
  | { readonly ignored: string }

/** Makes a message of the bytes of a callback. @throws {SyntaxError} when they are no JSON */
export function parseViber(body: Uint8Array): ParsedCallback {
  const raw = new TextDecoder().decode(body)
  const parsed = Callback.safeParse(JSON.parse(raw))
  if (!parsed.success) return { ignored: 'a callback of an unknown shape' }
  const callback = parsed.data
  switch (callback.event) {
    case 'message':
      return toMessage(callback, raw)
    case 'conversation_started':
      return callback.subscribed === true ? { ignored: 'a subscriber has opened the chat' } : { greet: true }
    case 'failed':
      return { ignored: `a message was not delivered: ${(callback.desc ?? 'no reason').slice(0, 200)}` }
    default:
      return { ignored: `event ${callback.event.slice(0, 50)}` }
  }
}

function toMessage({ sender, message, ...callback }: Callback, raw: string): ParsedCallback {
  const text = message?.text?.trim() ?? ''
  if (sender === undefined || sender.id === '') return { ignored: 'it has no sender' }
  const files = filesOfViber(message)
  if (text === '' && files.length === 0) return { ignored: 'it has neither text nor files' }
  const key = tokenOf(raw, callback.message_token) ?? callback.timestamp
  if (key === undefined) return { ignored: 'it has no message token' }
  return {
    message: {
      dedupeKeys: [`channel_e:${sender.id}:${key}`],
      dedupeForMs,
      conversationId: `channel_e:${sender.id}`,
      text,
      ...(files.length > 0 && { files }),
      sender: { id: sender.id, ...(sender.name && { name: sender.name }) },
      isAddressed: true,
      target: { data: { receiver: sender.id } },
    },
  }
}

/** The digits of the token: as a number two different ones may be the same. */
export function tokenOf(raw: string, rounded: number | string | undefined): string | undefined {
  const found = [...raw.matchAll(/"message_token"\s*:\s*"?(\d{1,20})/g)].map(([, digits = '']) => digits)
  return found.find((digits) => Number(digits) === Number(rounded))
}
