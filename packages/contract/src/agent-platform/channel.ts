import * as z from 'zod/mini'
import { RunFiles } from './file.ts'
import { toChannelId } from './settings.ts'
import {
  ConversationId,
  CustomId,
  limitParameter,
  orAbsent,
  PageCursor,
  PlatformId,
  Timestamp,
} from './values.ts'

/**
 * Name of a channel: the documented name, or the name of its platform. Responses use the documented name. A channel
 * of your app has its own name.
 */
export const ChannelName = z.pipe(
  z
    .string()
    .check(z.regex(/^[a-z][a-z0-9_-]{0,63}$/, 'must be 1 to 64 lowercase letters, digits, "_" or "-"')),
  z.pipe(
    z.transform((name: string): string => toChannelId(name) ?? name),
    z.string(),
  ),
)

/** Senders of private messages that are accepted: people whose code the operator confirms, people on a list, or everybody. */
export const ChannelAccess = z.enum(['pairing', 'allowlist', 'open'])
export type ChannelAccess = z.infer<typeof ChannelAccess>

/** Groups in which the agent answers: those on a list, all, or none. */
export const ChannelGroupAccess = z.enum(['allowlist', 'open', 'off'])
export type ChannelGroupAccess = z.infer<typeof ChannelGroupAccess>

/** Status of a channel. */
export const ChannelStatus = z.object({
  /** `channel_a` to `channel_e`, or the name of your own channel. */
  channel: z.string(),
  /** `telegram`, `slack`, `discord`, `bridge` or `viber`. For your own channel, its name. */
  platform: z.string(),
  /** Whether all required settings are present. */
  configured: z.boolean(),
  /** Missing settings. */
  missing: z.array(z.string()),
  /** Whether the channel can receive messages and send answers, according to the last check. */
  ok: z.boolean(),
  /** How messages are received. */
  mode: z.enum(['webhook', 'polling', 'none']),
  /** Address that the platform calls, if the platform reports the address. Contains no secret. */
  webhook_url: z.optional(z.string()),
  /** Name of the bot at the platform. */
  identity: z.optional(z.string()),
  default_agent_id: z.optional(z.string()),
  /** Who may send private messages to the agent. */
  access: ChannelAccess,
  /** In which groups the agent answers. */
  group_access: ChannelGroupAccess,
  /** Problems and risks, each with a fix. */
  warnings: z.array(z.string()),
  /** Whether this request contacted the platform. */
  probed: z.boolean(),
  /** Numbers of messages: waiting for an answer, with a failed answer, and with an answer that may not have arrived. */
  messages: z.object({ waiting: z.int(), failed: z.int(), uncertain: z.int() }),
})
export type ChannelStatus = z.infer<typeof ChannelStatus>

/** Public address of this server without a path, for the platform's webhook. */
export const WebhookRequest = z.object({
  base_url: z
    .string()
    .check(z.trim(), z.url({ protocol: /^https$/, error: 'must be an https URL' }), z.maxLength(2000)),
})
export type WebhookRequest = z.infer<typeof WebhookRequest>

/** Status of a message and its answer. */
export const ChannelMessageStatus = z.enum([
  'waiting',
  'delivering',
  'delivered',
  'failed',
  'uncertain',
  'discarded',
])
export type ChannelMessageStatus = z.infer<typeof ChannelMessageStatus>

/** A received message with the delivery status of its answer, or a message that the agent started. */
export const ChannelMessage = z.object({
  id: z.string(),
  channel: z.string(),
  conversation_id: z.string(),
  /** Absent if the agent started the message. */
  sender: z.optional(z.object({ id: z.string(), name: z.optional(z.string()) })),
  /** Empty for a message of an unknown sender, whose text is not stored, and for a report about a task. */
  text: z.string(),
  /**
   * Task that answers the message, or whose result the message reports. Absent for pairing codes and replies to
   * commands, and for messages sent by `POST /api/channels/{channel}/send` or the tool `send_message`.
   */
  task_id: z.optional(z.string()),
  /** `waiting` for the agent, `delivering` the answer, or the outcome. `uncertain`: the answer may not have arrived. */
  status: ChannelMessageStatus,
  /** Number of messages that the answer is split into, and number of confirmed ones. */
  parts: z.object({ total: z.int(), sent: z.int() }),
  /** Reason for an answer that failed or may not have arrived. */
  failure: z.optional(z.object({ code: z.string(), message: z.string() })),
  received_at: Timestamp,
  updated_at: Timestamp,
})
export type ChannelMessage = z.infer<typeof ChannelMessage>

/** A message that the agent starts. */
export const ChannelSendRequest = z.object({
  /**
   * Id of the chat: the `conversation_id` of a message of this channel, the platform's chat id, or a conversation of
   * the agent that belongs to the chat.
   */
  conversation_id: ConversationId,
  /** Text in Markdown, at most 100,000 characters. */
  text: z.string().check(
    z.maxLength(100_000),
    z.refine((text) => text.trim() !== '', 'must not be blank'),
  ),
  /** Files to send after the text. `path` is rejected, because a message has no workspace. */
  files: orAbsent(RunFiles),
  /** Requests with the same key send one message. */
  idempotency_key: orAbsent(CustomId),
})
export type ChannelSendRequest = z.infer<typeof ChannelSendRequest>

/** Filter for the messages of a channel. */
export const ChannelMessageQuery = z.object({
  status: z.optional(ChannelMessageStatus),
  limit: limitParameter(500),
  cursor: z.optional(PageCursor),
})

/**
 * Decision about an answer that failed or is uncertain: `resend` sends the unconfirmed parts again, `discard` leaves
 * them unsent.
 */
export const ChannelMessageDecision = z.object({ decision: z.enum(['resend', 'discard']) })
export type ChannelMessageDecision = z.infer<typeof ChannelMessageDecision>

/** Whether a sender is a person or a group. */
export const ChannelSenderKind = z.enum(['person', 'group'])
export type ChannelSenderKind = z.infer<typeof ChannelSenderKind>

/** Status of a sender: `pending` until the operator decides. */
export const ChannelSenderStatus = z.enum(['pending', 'allowed', 'blocked'])
export type ChannelSenderStatus = z.infer<typeof ChannelSenderStatus>

/** A person or group that has written to a channel or that the operator has decided about. */
export const ChannelSender = z.object({
  /** Id of the sender on the platform. */
  id: z.string(),
  name: z.optional(z.string()),
  kind: ChannelSenderKind,
  status: ChannelSenderStatus,
  /** User id of the sender's runs: `<platform>:<id>`, or the user to whom the chats are linked. */
  user_id: PlatformId,
  /** Pairing code, while it is valid. */
  code: z.optional(z.string()),
  first_seen_at: Timestamp,
  last_seen_at: Timestamp,
})
export type ChannelSender = z.infer<typeof ChannelSender>

/** A decision about a sender. */
export const ChannelSenderChange = z
  .object({
    /** Required for an id that has not sent a message yet. */
    status: z.optional(z.enum(['allowed', 'blocked'])),
    /**
     * User to whom the person's messages belong from now on, as with `/link`. `null` removes the link, as with
     * `/unlink`.
     */
    user_id: z.optional(z.nullable(CustomId)),
    /** Kind of an id that has not sent a message yet. Default: the first message decides. */
    kind: z.optional(ChannelSenderKind),
  })
  .check(
    z.refine(({ status, user_id }) => status !== undefined || user_id !== undefined, {
      error: 'give status, user_id or both',
      path: ['status'],
    }),
  )
export type ChannelSenderChange = z.infer<typeof ChannelSenderChange>

/** A pairing code that a person received in the chat. Case, spaces and hyphens are ignored. */
export const PairingRequest = z.object({ code: z.string().check(z.trim(), z.minLength(1), z.maxLength(100)) })
export type PairingRequest = z.infer<typeof PairingRequest>

/** Platform id of a sender as a path parameter. */
export const ChannelSenderId = PlatformId
