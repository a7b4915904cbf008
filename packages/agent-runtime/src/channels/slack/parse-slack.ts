import type { InboundMessage, InboundReaction } from '../../ports/channel.ts'
import type { SlackEnvelope, SlackEvent } from './slack-event.ts'
import { filesOfSlack } from './slack-files.ts'

/** A message for the pipeline, or why there is none. */
export type ParsedSlackEvent =
  | { readonly message: InboundMessage }
  | { readonly ignored: string; readonly reaction?: InboundReaction }

/** Subtypes that are messages of people. Every other one is an edit, a notice or a bot. */
const personal = new Set(['file_share', 'thread_broadcast'])

/**
 * Makes a message of an event. Slack gives one mention twice, as `message` and as `app_mention`, in either order, with
 * different event ids: both come out with the same keys and the same text.
 */
export function parseSlack(envelope: SlackEnvelope): ParsedSlackEvent {
  if (envelope.type === 'app_rate_limited') {
    return { ignored: 'Slack dropped events: more than 30,000 in an hour' }
  }
  const { event } = envelope
  if (envelope.type !== 'event_callback' || !event) return { ignored: `an event of type ${envelope.type}` }
  if (event.type === 'reaction_added' || event.type === 'reaction_removed') return parseReaction(event)
  if (event.type !== 'message' && event.type !== 'app_mention')
    return { ignored: `an event of type ${event.type}` }
  const ownIds = idsOfBot(envelope)
  const reason = reasonToIgnore(event, ownIds)
  if (reason !== undefined) return { ignored: reason }
  const { user, channel, ts } = event
  if (!user || !channel || !ts) return { ignored: 'its sender, channel or time is missing' }
  const text = fromSlackText(event.text ?? '', ownIds)
  const files = filesOfSlack(event)
  if (text === '' && files.length === 0) return { ignored: 'it has neither text nor files' }

  const isDirect = event.channel_type ? event.channel_type === 'im' : channel.startsWith('D')
  const isAddressed = isDirect || event.type === 'app_mention' || namesBot(event.text ?? '', ownIds)
  const thread = event.thread_ts || (isDirect ? undefined : ts)
  const place = ['channel_b', envelope.team_id || envelope.enterprise_id || 'unknown', channel]
  return {
    message: {
      dedupeKeys: keysOf(event, channel, ts),
      conversationId: (isDirect ? place : [...place, event.thread_ts || ts]).join(':'),
      text,
      ...(files.length > 0 && { files }),
      sender: { id: user },
      chatId: channel,
      ...(!isDirect && { group: { id: channel } }),
      isAddressed,
      ...(!isAddressed && event.thread_ts && { isFollowUp: true }),
      target: { data: { channel, ...(thread && { thread_ts: thread }) } },
    },
  }
}

/** Names of the thumbs. After `::` follows the color of the skin. */
const thumbs: Readonly<Record<string, InboundReaction['rating']>> = {
  '+1': 'up',
  thumbsup: 'up',
  '-1': 'down',
  thumbsdown: 'down',
}

/** A thumb on a message, or one that was taken away. */
function parseReaction({ type, user, reaction, item }: SlackEvent): ParsedSlackEvent {
  const name = (reaction ?? '').split('::', 1)[0] ?? ''
  const rating = Object.hasOwn(thumbs, name) ? thumbs[name] : undefined
  if (!user || !item?.channel || !item.ts || rating === undefined)
    return { ignored: 'a reaction without a thumb on a message' }
  const { channel, ts } = item
  return {
    ignored: 'a reaction',
    reaction: {
      messageId: ts,
      target: { channel },
      sender: { id: user },
      ...(!channel.startsWith('D') && { group: { id: channel } }),
      rating,
      isRemoved: type === 'reaction_removed',
    },
  }
}

/** Slack names the bot as the user of the installation; `false` marks a person's installation. */
function idsOfBot({ authorizations }: SlackEnvelope): ReadonlySet<string> {
  const bots = (authorizations ?? []).filter((entry) => entry.is_bot !== false)
  return new Set(bots.flatMap(({ user_id: id }) => (id ? [id] : [])))
}

function reasonToIgnore(event: SlackEvent, ownIds: ReadonlySet<string>): string | undefined {
  const { subtype, user } = event
  if (subtype && !personal.has(subtype)) return `a message of subtype ${subtype}`
  // what the bot itself wrote has a bot_id, and no subtype
  if (event.bot_id || event.bot_profile) return 'a bot has sent it'
  if (event.hidden === true) return 'it is hidden'
  if (user && ownIds.has(user)) return 'the bot itself has sent it'
  if (user && /^USLACK(?:BOT)?$/.test(user)) return 'Slack has sent it'
  return undefined
}

/** One gesture may come with two times, so the client's own id counts too: within the channel, where it is unique. */
function keysOf({ client_msg_id: clientId }: SlackEvent, channel: string, ts: string): string[] {
  const key = `channel_b:${channel}:${ts}`
  return clientId ? [key, `channel_b:${channel}:${clientId}`] : [key]
}

/** A message as a person reads it: without Slack's marks, and without the names of the bot. */
function fromSlackText(text: string, ownIds: ReadonlySet<string>): string {
  return text
    .replaceAll(/ ?<@([A-Z0-9]+)(?:\|[^<>]*)?>/g, (mention, id: string) => (ownIds.has(id) ? '' : mention))
    .replaceAll(/<([^<>|]+)(?:\|([^<>]*))?>/g, (_mark, target: string, label?: string) =>
      readMark(target, label),
    )
    .replaceAll(/&(lt|gt|amp);/g, (_entity, name: 'lt' | 'gt' | 'amp') => signs[name])
    .trim()
}

/** Whether a text names the bot. */
function namesBot(text: string, ownIds: ReadonlySet<string>): boolean {
  return [...text.matchAll(/<@([A-Z0-9]+)(?:\|[^<>]*)?>/g)].some(([, id = '']) => ownIds.has(id))
}

const signs = { lt: '<', gt: '>', amp: '&' } as const

/** `<#C1|general>`, `<@U1>`, `<!here>`, `<!subteam^S1|@team>`, `<mailto:a@b.example|a@b.example>`, `<https://…|label>`. */
function readMark(target: string, label: string | undefined): string {
  if (target.startsWith('!')) return label || `@${target.slice(1).replace(/\^.*/, '')}`
  const sign = target.startsWith('@') || target.startsWith('#') ? target.slice(0, 1) : ''
  if (sign !== '') return label ? sign + label : target
  const address = target.replace(/^mailto:/, '')
  return !label || label === address || target.endsWith(`//${label}`) ? address : `${label} (${address})`
}
