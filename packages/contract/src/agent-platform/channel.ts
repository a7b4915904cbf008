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
 * A channel, under its documented name or its platform's; it comes out under the documented one. A channel that the
 * host has added has its own name.
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

/** Who may write in private: people with a code that the operator confirms, people on a list, or everybody. */
export const ChannelAccess = z.enum(['pairing', 'allowlist', 'open'])
export type ChannelAccess = z.infer<typeof ChannelAccess>

/** In which groups the agent answers: those on a list, all of them, or none. */
export const ChannelGroupAccess = z.enum(['allowlist', 'open', 'off'])
export type ChannelGroupAccess = z.infer<typeof ChannelGroupAccess>

/** What a person has to know about a channel. */
export const ChannelStatus = z.object({
  /** `channel_a` to `channel_e`, or the name of your own channel. */
  channel: z.string(),
  /** `telegram`, `slack`, `discord`, `bridge` or `viber`. For your own channel, its name. */
  platform: z.string(),
  /** Whether all required settings are present. */
  configured: z.boolean(),
  /** Missing settings. */
  missing: z.array(z.string()),
  /** Whether the channel can receive messages and send answers, as far as known. */
  ok: z.boolean(),
  /** How messages are received. */
  mode: z.enum(['webhook', 'polling', 'none']),
  /** Address that the platform calls, if the platform reports it. Contains no secret. */
  webhook_url: z.optional(z.string()),
  /** Name of the bot at the platform. */
  identity: z.optional(z.string()),
  default_agent_id: z.optional(z.string()),
  /** Who may write to the agent in private. */
  access: ChannelAccess,
  /** In which groups the agent answers. */
  group_access: ChannelGroupAccess,
  /** Problems and risks, each with what to do. */
  warnings: z.array(z.string()),
  /** Whether the platform was asked just now. */
  probed: z.boolean(),
  /**
   * Counts of messages: those that wait for an answer, those with failed answers, and those whose answers may not have
   * arrived.
   */
  messages: z.object({ waiting: z.int(), failed: z.int(), uncertain: z.int() }),
})
export type ChannelStatus = z.infer<typeof ChannelStatus>

/** Where the platform reaches this server: its public address without a path. */
export const WebhookRequest = z.object({
  base_url: z
    .string()
    .check(z.trim(), z.url({ protocol: /^https$/, error: 'must be an https URL' }), z.maxLength(2000)),
})
export type WebhookRequest = z.infer<typeof WebhookRequest>

/** What became of a message and its answer. */
export const ChannelMessageStatus = z.enum([
  'waiting',
  'delivering',
  'delivered',
  'failed',
  'uncertain',
  'discarded',
])
export type ChannelMessageStatus = z.infer<typeof ChannelMessageStatus>

/** A message that came in through a channel and the way of its answer, or a message that starts with the agent. */
export const ChannelMessage = z.object({
  id: z.string(),
  channel: z.string(),
  conversation_id: z.string(),
  /** Absent for a message that starts with the agent. */
  sender: z.optional(z.object({ id: z.string(), name: z.optional(z.string()) })),
  /** Empty for a message of an unknown sender, whose text is not stored, and for a report about a task. */
  text: z.string(),
  /**
   * Task that answers the message, or whose result the message reports. Absent if the server itself replies with a pairing
   * code or to a command, and for messages sent by `POST /api/channels/{channel}/send` or by the tool `send_message`.
   */
  task_id: z.optional(z.string()),
  /** `waiting` for the agent, `delivering` the answer, or the outcome. `uncertain`: the answer may not have arrived. */
  status: ChannelMessageStatus,
  /** Number of messages that the answer is split into, and how many of them certainly arrived. */
  parts: z.object({ total: z.int(), sent: z.int() }),
  /** Why the answer was not delivered, or may not have arrived. */
  failure: z.optional(z.object({ code: z.string(), message: z.string() })),
  received_at: Timestamp,
  updated_at: Timestamp,
})
export type ChannelMessage = z.infer<typeof ChannelMessage>

/** A message that starts with the agent. */
export const ChannelSendRequest = z.object({
  /**
   * The chat: the `conversation_id` of a message of this channel, the platform's id of the chat, or a conversation of the
   * agent that belongs to the chat.
   */
  conversation_id: ConversationId,
  /** In Markdown, at most 100,000 characters. */
  text: z.string().check(
    z.maxLength(100_000),
    z.refine((text) => text.trim() !== '', 'must not be blank'),
  ),
  /** Files that are sent after the text. `path` is rejected, because a message has no workspace. */
  files: orAbsent(RunFiles),
  /** Requests with the same key send one message. */
  idempotency_key: orAbsent(CustomId),
})
export type ChannelSendRequest = z.infer<typeof ChannelSendRequest>

/** Which messages of a channel. */
export const ChannelMessageQuery = z.object({
  status: z.optional(ChannelMessageStatus),
  limit: limitParameter(500),
  cursor: z.optional(PageCursor),
})

/**
 * What a person decides about an answer that failed or is uncertain: `resend` sends what has not surely arrived, `discard`
 * lets it be.
 */
export const ChannelMessageDecision = z.object({ decision: z.enum(['resend', 'discard']) })
export type ChannelMessageDecision = z.infer<typeof ChannelMessageDecision>

/** Whether a sender is a person or a group. */
export const ChannelSenderKind = z.enum(['person', 'group'])
export type ChannelSenderKind = z.infer<typeof ChannelSenderKind>

/** Whether a sender may write: `pending` until the operator decides. */
export const ChannelSenderStatus = z.enum(['pending', 'allowed', 'blocked'])
export type ChannelSenderStatus = z.infer<typeof ChannelSenderStatus>

/** A person or a group that has written to a channel, or that the operator has decided about. */
export const ChannelSender = z.object({
  /** The platform's id. */
  id: z.string(),
  name: z.optional(z.string()),
  kind: ChannelSenderKind,
  status: ChannelSenderStatus,
  /** User id of its runs: `<platform>:<id>`, or that of the person whose chats are linked. */
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
    /** Required for an id that has not written yet. */
    status: z.optional(z.enum(['allowed', 'blocked'])),
    /**
     * User that the messages of a person belong to from now on, as `/link` does it; `null` undoes that, as `/unlink` does it.
     */
    user_id: z.optional(z.nullable(CustomId)),
    /** Kind of an id that has not written yet. Default: the first message decides. */
    kind: z.optional(ChannelSenderKind),
  })
  .check(
    z.refine(({ status, user_id }) => status !== undefined || user_id !== undefined, {
      error: 'give status, user_id or both',
      path: ['status'],
    }),
  )
export type ChannelSenderChange = z.infer<typeof ChannelSenderChange>

/** A pairing code that a person got in the chat. Case, spaces and hyphens do not matter. */
export const PairingRequest = z.object({ code: z.string().check(z.trim(), z.minLength(1), z.maxLength(100)) })
export type PairingRequest = z.infer<typeof PairingRequest>

/** Platform id of a sender, in a path. */
export const ChannelSenderId = PlatformId
