import * as z from 'zod/mini'

const User = z.object({
  id: z.int(),
  is_bot: z.boolean(),
  first_name: z.optional(z.string()),
  last_name: z.optional(z.string()),
  username: z.optional(z.string()),
})
/** A person or a bot. */
export type TelegramUser = z.infer<typeof User>

const Entity = z.object({
  type: z.string(),
  /** In UTF-16 units, as JavaScript counts. */
  offset: z.int(),
  length: z.int(),
  user: z.optional(User),
})

const File = z.object({
  file_id: z.string(),
  file_name: z.optional(z.string()),
  mime_type: z.optional(z.string()),
  file_size: z.optional(z.number()),
})
/** What this channel reads of a file. */
export type TelegramFile = z.infer<typeof File>

const Sticker = z.object({
  ...File.shape,
  is_animated: z.optional(z.boolean()),
  is_video: z.optional(z.boolean()),
  /** A still picture of one that moves. */
  thumbnail: z.optional(File),
})

const Message = z.object({
  message_id: z.int(),
  from: z.optional(User),
  /** In whose name a person writes: of the group, as its anonymous admin, or of a channel. */
  sender_chat: z.optional(z.object({ id: z.int(), title: z.optional(z.string()) })),
  /** A channel's post, forwarded by Telegram to the group that discusses it. Nobody wrote it there. */
  is_automatic_forward: z.optional(z.boolean()),
  /** Where a forwarded message was written first. Holds the user only if a user wrote it who does not hide that. */
  forward_origin: z.optional(z.object({ type: z.string(), sender_user: z.optional(User) })),
  chat: z.object({ id: z.int(), type: z.string(), title: z.optional(z.string()) }),
  text: z.optional(z.string()),
  caption: z.optional(z.string()),
  /** One picture in several sizes. */
  photo: z.optional(z.array(z.extend(File, { width: z.number(), height: z.number() }))),
  /** Also an animation: Telegram sends it under both names. */
  document: z.optional(File),
  audio: z.optional(File),
  voice: z.optional(File),
  video: z.optional(File),
  video_note: z.optional(File),
  sticker: z.optional(Sticker),
  entities: z.optional(z.array(Entity)),
  caption_entities: z.optional(z.array(Entity)),
  message_thread_id: z.optional(z.int()),
  is_topic_message: z.optional(z.boolean()),
  reply_to_message: z.optional(
    z.object({ from: z.optional(User), forum_topic_created: z.optional(z.unknown()) }),
  ),
})
/** What this channel reads of a message. */
export type TelegramMessage = z.infer<typeof Message>

const CallbackQuery = z.object({
  id: z.string().check(z.maxLength(200)),
  from: User,
  /** The message with the button. Without a text if it is older than Telegram remembers. */
  message: z.optional(Message),
  data: z.optional(z.string()),
})
/** A press of a button. */
export type TelegramPress = z.infer<typeof CallbackQuery>

const Reactions = z.array(z.object({ type: z.string(), emoji: z.optional(z.string()) }))

const MessageReaction = z.object({
  chat: z.object({ id: z.int(), type: z.string(), title: z.optional(z.string()) }),
  message_id: z.int(),
  /** Absent for somebody who reacts as a group or a channel. */
  user: z.optional(User),
  old_reaction: Reactions,
  new_reaction: Reactions,
})
/** A change of a person's reactions to a message. In groups, bots receive it only as administrators. */
export type TelegramReaction = z.infer<typeof MessageReaction>

/** Kinds of updates that this channel asks for. Every other kind is ignored. */
export const wantedUpdates = ['message', 'callback_query', 'message_reaction'] as const

/** What this channel reads of an update. */
export const TelegramUpdate = z.object({
  update_id: z.int(),
  message: z.optional(Message),
  callback_query: z.optional(CallbackQuery),
  message_reaction: z.optional(MessageReaction),
})
export type TelegramUpdate = z.infer<typeof TelegramUpdate>
