import type { InboundFile, InboundMessage } from '../../ports/channel.ts'
import { toDiscordFile } from './discord-files.ts'
import {
  DiscordPress,
  type DiscordCommand,
  type DiscordCommandOption,
  type DiscordInteraction,
} from './discord-interaction.ts'

/** A question for the pipeline, or what the person is told instead. */
type ParsedCommand = { readonly message: InboundMessage } | { readonly note: string }

/** How long Discord takes answers to an interaction, in milliseconds. */
const tokenLifeMs = 15 * 60_000

const commandTypes = { typed: 1, message: 3 } as const
const optionTypes = { text: 3, attachment: 11 } as const

/** Makes a question of a command. `command`: the name that the slash command has. */
export function parseDiscord(interaction: DiscordInteraction, command: string, nowMs: number): ParsedCommand {
  const user = userOf(interaction)
  if (!user) return { note: 'The command has no user.' }
  if (user.bot === true) return { note: 'This bot does not answer other bots.' }
  const question = readQuestion(interaction.data, command)
  if ('note' in question) return question
  const isQuoted = question.authorId !== undefined && question.authorId !== user.id
  const { text, files } = question
  const message = toMessage(interaction, user, text, nowMs)
  return { message: { ...message, ...(files.length > 0 && { files }), ...(isQuoted && { isQuoted }) } }
}

/** Makes a message of a press of a button: its command, as if the person had typed it. @returns undefined for other things */
export function parseDiscordPress(json: unknown, nowMs: number): InboundMessage | undefined {
  const press = DiscordPress.safeParse(json)
  const user = press.success ? userOf(press.data) : undefined
  if (!press.success || !user || user.bot === true) return undefined
  if (!press.data.data.custom_id.startsWith('/')) return undefined // a button of another program
  const message = toMessage(press.data, user, press.data.data.custom_id, nowMs)
  return { ...message, press: { id: press.data.id, needsAnswer: true } }
}

type Head = Omit<DiscordInteraction, 'data'>

const userOf = ({ member, user }: Head) => member?.user ?? user

function toMessage(
  interaction: Head,
  user: NonNullable<ReturnType<typeof userOf>>,
  text: string,
  nowMs: number,
): InboundMessage {
  const { id, member, channel_id: channelId, guild_id: guildId } = interaction
  const name = member?.nick || user.global_name || user.username
  // others use the bot in the same private chat: what one has asked is not for the next
  const isAmongOthers = !guildId && interaction.context === 2
  const place = ['channel_c', guildId || '@me', channelId, ...(isAmongOthers ? [user.id] : [])]
  return {
    dedupeKeys: [`channel_c:${id}`],
    conversationId: place.join(':'),
    text,
    chatId: channelId,
    sender: { id: user.id, ...(name && { name }) },
    ...((guildId || isAmongOthers) && { group: groupOf(interaction) }),
    isAddressed: true,
    target: {
      expiresAtMs: nowMs + tokenLifeMs,
      data: { application_id: interaction.application_id, token: interaction.token, channel_id: channelId },
    },
  }
}

/** Kinds of channels that are threads: they belong to their parent. */
const threadTypes: ReadonlySet<unknown> = new Set([10, 11, 12])

function groupOf({ channel_id: id, channel }: Head): NonNullable<InboundMessage['group']> {
  if (threadTypes.has(channel?.type) && channel?.parent_id) return { id: channel.parent_id }
  return { id, ...(channel?.name && { name: channel.name }) }
}

interface Question {
  readonly text: string
  readonly files: readonly InboundFile[]
  /** Who wrote it, if that is known and not the person who asks. */
  readonly authorId?: string | undefined
}

function readQuestion(data: DiscordCommand, command: string): Question | { note: string } {
  const type = data.type ?? commandTypes.typed
  const isOurs = data.name.toLowerCase() === command
  if (type === commandTypes.typed && isOurs) {
    const text = textOf(data.options ?? [])
    const files = filesOf(data)
    const isEmpty = text === '' && files.length === 0
    return isEmpty ? { note: `Write a question after /${command}.` } : { text, files }
  }
  if (type === commandTypes.message) {
    const target = data.resolved?.messages?.[data.target_id ?? '']
    const text = target?.content?.trim() ?? ''
    const files = (target?.attachments ?? []).map(toDiscordFile)
    if (text === '' && files.length === 0) return { note: 'That message has no text and no readable files.' }
    return { text, files, authorId: target?.author?.id ?? '' }
  }
  return { note: `This bot does not support this command. Use /${command} and a question.` }
}

/** The files of a command, also of a command inside of the command. */
function filesOf({ options = [], resolved }: DiscordCommand): InboundFile[] {
  const idsOf = (given: readonly DiscordCommandOption[]): string[] =>
    given.flatMap(({ type, value, options: inner }) =>
      type === optionTypes.attachment && typeof value === 'string' ? [value] : idsOf(inner ?? []),
    )
  const { attachments = {} } = resolved ?? {}
  return idsOf(options).flatMap((id) =>
    Object.hasOwn(attachments, id) && attachments[id] ? [toDiscordFile(attachments[id])] : [],
  )
}

/** The option named `text`, else the first text there is; also of a command inside of the command. */
function textOf(options: readonly DiscordCommandOption[]): string {
  const texts = options.flatMap(({ name, type, value, options: inner }) => {
    const own = type === optionTypes.text && typeof value === 'string' ? value.trim() : ''
    return [{ name, text: own === '' ? textOf(inner ?? []) : own }]
  })
  const found = texts.filter(({ text }) => text !== '')
  return (found.find(({ name }) => name === 'text') ?? found[0])?.text ?? ''
}
