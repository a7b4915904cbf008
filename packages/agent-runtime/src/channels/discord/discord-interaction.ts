import * as z from 'zod/mini'

/** An id, which becomes part of an address. */
const Id = z.string().check(z.regex(/^\d{1,25}$/))

const User = z.object({
  id: Id,
  bot: z.optional(z.boolean()),
  username: z.optional(z.string()),
  global_name: z.nullish(z.string()),
})

/** An option of a command; a command inside of a command has options of its own. */
interface CommandOption {
  readonly name: string
  readonly type: number
  readonly value?: unknown
  readonly options?: readonly CommandOption[] | undefined
}
const CommandOption: z.ZodMiniType<CommandOption> = z.object({
  name: z.string(),
  type: z.number(),
  value: z.optional(z.unknown()),
  get options() {
    return z.optional(z.array(CommandOption))
  },
})
export type DiscordCommandOption = CommandOption

/** A file, by its id in `resolved` or in a message. */
const Attachment = z.object({
  id: z.string(),
  filename: z.optional(z.string()),
  content_type: z.nullish(z.string()),
  size: z.optional(z.number()),
  url: z.string(),
  /** Of voice messages only. */
  waveform: z.nullish(z.string()),
})
export type DiscordAttachment = z.infer<typeof Attachment>

/** A message on which somebody has used a command. */
const TargetMessage = z.object({
  content: z.optional(z.string()),
  author: z.optional(z.object({ id: z.string() })),
  attachments: z.optional(z.array(Attachment)),
})

const Command = z.object({
  name: z.string(),
  /** 1: typed, 2: on a user, 3: on a message. */
  type: z.optional(z.number()),
  options: z.optional(z.array(CommandOption)),
  target_id: z.optional(z.string()),
  resolved: z.optional(
    z.object({
      messages: z.optional(z.record(z.string(), TargetMessage)),
      attachments: z.optional(z.record(z.string(), Attachment)),
    }),
  ),
})
/** A command that somebody has used. */
export type DiscordCommand = z.infer<typeof Command>

/** The kind of a request. Webhook events have `event`, and another type 0 and 1. */
export const DiscordRequest = z.object({ type: z.int(), event: z.optional(z.unknown()) })

const head = {
  id: Id,
  application_id: Id,
  /** Credential of 15 minutes for answers to this one interaction. */
  token: z.string().check(z.regex(/^[\w.~-]{1,1000}$/)),
  channel_id: Id,
  guild_id: z.nullish(Id),
  channel: z.nullish(
    z.object({ type: z.nullish(z.number()), parent_id: z.nullish(Id), name: z.nullish(z.string()) }),
  ),
  /** 0: a server, 1: private chat with the bot, 2: private chat of others. */
  context: z.nullish(z.number()),
  /** In servers. */
  member: z.nullish(z.object({ nick: z.nullish(z.string()), user: User })),
  /** In private chats. */
  user: z.nullish(User),
}

/** What this channel reads of a command. */
export const DiscordInteraction = z.object({ ...head, data: Command })
export type DiscordInteraction = z.infer<typeof DiscordInteraction>

/** What this channel reads of a press of a button. */
export const DiscordPress = z.object({ ...head, data: z.object({ custom_id: z.string() }) })
export type DiscordPress = z.infer<typeof DiscordPress>
