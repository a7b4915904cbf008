import * as z from 'zod/mini'

const text = z.nullish(z.string())

const File = z.object({
  name: text,
  mimetype: text,
  size: z.nullish(z.number()),
  /** `slack_audio` for a clip that was recorded in Slack. */
  subtype: text,
  /** `tombstone`, `hidden_by_limit` and `external` for files that are not there. */
  mode: text,
  is_external: z.nullish(z.boolean()),
  url_private: text,
  url_private_download: text,
})
/** What this channel reads of a file. */
export type SlackFile = z.infer<typeof File>

const Event = z.object({
  type: z.string(),
  subtype: text,
  hidden: z.nullish(z.boolean()),
  user: text,
  bot_id: text,
  bot_profile: z.nullish(z.unknown()),
  text,
  files: z.nullish(z.array(File)),
  ts: text,
  thread_ts: text,
  channel: text,
  /** Missing in `app_mention`. */
  channel_type: text,
  /** Name of an emoji, such as `+1`, in `reaction_added` and `reaction_removed`. */
  reaction: text,
  /** The message that the reaction is on. */
  item: z.nullish(z.object({ type: text, channel: text, ts: text })),
  /** The same in both deliveries of one message. */
  client_msg_id: text,
})
/** What this channel reads of a message. */
export type SlackEvent = z.infer<typeof Event>

/** What this channel reads of a request of the Events API. */
export const SlackEnvelope = z.object({
  type: z.string(),
  challenge: text,
  team_id: text,
  enterprise_id: text,
  event: z.nullish(Event),
  /** The user whose installation got the event: the bot itself. */
  authorizations: z.nullish(z.array(z.object({ user_id: text, is_bot: z.nullish(z.boolean()) }))),
})
export type SlackEnvelope = z.infer<typeof SlackEnvelope>
