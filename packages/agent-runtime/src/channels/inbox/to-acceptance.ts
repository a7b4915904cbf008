import type { MessageAcceptance } from '../../store/ports/channel-acceptance.ts'
import type { SenderLink, StoredSender } from '../../store/ports/channel-sender.ts'
import type { NewJournalEvent } from '../../store/ports/journal.ts'
import type { NewChannelMessage } from '../../store/ports/channel-store.ts'
import type { NewTask } from '../../store/ports/task-store.ts'
import { toCreatedEvent, toEndedEvent } from '../../tasks/task-events.ts'
import type { InboundMessage } from '../../ports/channel.ts'
import { codeValidMs, createPairingCode } from '../access/pairing-code.ts'
import type { Judgement, MessagePeers } from '../access/judge-sender.ts'
import { describeMessage } from '../files/describe-file.ts'
import { toStoredFiles } from '../files/to-stored-files.ts'
import type { CommandOutcome } from '../commands/commands.ts'
import { toMessageEvent, toSenderEvent } from '../channel-events.ts'
import { platformOf } from '../platform-of.ts'
import { toShortId } from '../short-id.ts'

/** How long a message that comes again is known, in milliseconds: platforms try for a day (A22). */
const dedupeForMs = 24 * 60 * 60 * 1000
const maxAttempts = 3
/** Most people and most groups of a channel that wait to be let in. */
const maxPending = 100
const maxSpeaker = 60

/** A message that is being judged. */
interface Arrival {
  readonly channel: string
  readonly message: InboundMessage
  readonly receivedAt: string
  readonly createId: () => string
}

/** The keys of a message, and nothing else of it. */
export function toClaim({ channel, message, receivedAt }: Arrival): Omit<MessageAcceptance, 'journal'> {
  const { dedupeKeys, dedupeForMs: forMs = dedupeForMs } = message
  return {
    keys: dedupeKeys.map((key) => toShortId(`${channel} ${key}`)),
    keysUntil: new Date(Date.parse(receivedAt) + forMs).toISOString(),
  }
}

/** An unknown sender: nothing of its text is stored, and only a person in a private chat gets a code. */
export function toKnock(
  arrival: Arrival,
  { peer, getsCode }: Extract<Judgement, { kind: 'unknown' }>,
): MessageAcceptance {
  const { receivedAt } = arrival
  const journal = [toSenderEvent(peer, { status: 'pending' }, receivedAt)]
  const claim = { ...toClaim(arrival), journal }
  if (!getsCode) return { ...claim, knock: { peer, maxPending } }
  const code = createPairingCode()
  const until = new Date(Date.parse(receivedAt) + codeValidMs).toISOString()
  const answer = `To use this agent, ask the person who runs it to enter the code ${code} within one hour.`
  const message = { ...toStored(arrival, ''), answer }
  return { ...claim, knock: { peer, pairing: { code, until }, maxPending }, entry: { message } }
}

/** A command, which is answered without a task. */
export function toCommandAcceptance(arrival: Arrival, outcome: CommandOutcome): MessageAcceptance {
  const { answer, begins, cancelsTask, links, step } = outcome
  // all events of an acceptance are in one place
  const settled = step?.settles?.journal ?? []
  const claim = {
    ...toClaim(arrival),
    ...(step && { step: step.settles ? { ...step, settles: { ...step.settles, journal: [] } } : step }),
  }
  if (answer === undefined) return { ...claim, journal: settled }
  const message = { ...toStored(arrival, arrival.message.text), answer }
  const { conversationId: chat } = message
  return {
    ...claim,
    entry: { message },
    ...(begins && { begins: { chat, conversationId: toShortId(`${chat} ${arrival.createId()}`) } }),
    ...(cancelsTask !== undefined && { cancels: { taskId: cancelsTask, toEvent: toEndedEvent } }),
    ...(links && { links }),
    journal: [...settled, toMessageEvent(message), ...toLinkEvents(links, arrival.receivedAt)],
  }
}

function toLinkEvents(links: SenderLink | undefined, at: string): readonly NewJournalEvent[] {
  if (!links?.change) return []
  return [toSenderEvent(links.peer, { userId: links.change.userId ?? links.own }, at)]
}

/** What a message for the agent needs besides itself. */
interface TaskContext {
  readonly agentId: string
  readonly userId: string
  readonly conversationId: string
  readonly isTrusted: boolean
}

/** A message for the agent, with the task that answers it. */
export async function toTaskAcceptance(arrival: Arrival, context: TaskContext): Promise<MessageAcceptance> {
  const { channel, message, receivedAt, createId } = arrival
  const { agentId, userId, conversationId, isTrusted } = context
  // providers refuse half a character, and from then on every turn of the conversation that holds it
  const { files, storing } = await toStoredFiles(message.files ?? [], createId)
  const text = (message.text.trim() === '' ? describeMessage(files) : message.text).toWellFormed()
  const taskId = createId()
  const kept = { ...toStored(arrival, text), taskId, ...(files.length > 0 && { files }) }
  const task: NewTask = {
    id: taskId,
    subject: { kind: 'agent', id: agentId },
    ...(storing.files.length > 0 && { files: storing.files }),
    input: toInput(message, text),
    conversationId,
    userId,
    channelMessage: true,
    ...toTaint(message, isTrusted),
    priority: 0,
    maxAttempts,
    metadata: { channel, message_id: kept.id },
    serialKey: `channel ${kept.conversationId}`,
    createdAt: receivedAt,
    runAt: receivedAt,
  }
  return {
    ...toClaim(arrival),
    entry: { message: kept, task: storing.files.length > 0 ? { ...task, contents: storing.contents } : task },
    journal: [toMessageEvent(kept), toCreatedEvent(task)],
  }
}

/** A message for a run that works or waits: its next model call reads it. */
export function toSteeringAcceptance(
  arrival: Arrival,
  { isTrusted }: Pick<TaskContext, 'isTrusted'>,
  { run: runId, needsReply }: { readonly run: string; readonly needsReply: boolean },
): MessageAcceptance {
  const { message, receivedAt, createId } = arrival
  const text = message.text.toWellFormed()
  const stored = toStored(arrival, text)
  return {
    ...toClaim(arrival),
    // where the platform shows that a reply is being written, one has to come
    ...(needsReply && {
      entry: { message: { ...stored, answer: 'The agent reads this message while it works.' } },
    }),
    steers: {
      runId,
      id: createId(),
      mode: 'steer',
      text: toInput(message, text),
      ...toTaint(message, isTrusted),
      createdAt: receivedAt,
      journal: [],
    },
    journal: [toMessageEvent(stored)],
  }
}

/** The text of a message as the agent reads it. */
const toInput = (message: InboundMessage, text: string) =>
  message.group ? `[${speakerOf(message)}]: ${text}` : text

/** What somebody wrote whom nobody has allowed, or what somebody else wrote, comes from a stranger (A20). */
const toTaint = ({ group, isQuoted }: InboundMessage, isTrusted: boolean) =>
  ((group && !isTrusted) || isQuoted) && { untrusted: true as const }

/** The chat as it is stored, which also names the lane of its tasks. */
export const toChat = ({ conversationId }: Pick<InboundMessage, 'conversationId'>) =>
  toShortId(conversationId)

/** Whose memory the run of a message uses: the person's in a private chat, else the group's. */
export function toUserId(platform: string, { person, group }: MessagePeers): string {
  return toShortId(`${platform}:${(group ?? person).id}`)
}

/** The same for a sender who may be linked to a user. @param stored senders of the message that are stored */
export function userOf(
  channel: string,
  { person, group }: MessagePeers,
  stored: readonly Pick<StoredSender, 'id' | 'userId'>[],
): string {
  const linked = group ? undefined : stored.find(({ id }) => id === person.id)?.userId
  return linked ?? toUserId(platformOf(channel), { person, ...(group && { group }) })
}

function toStored({ channel, message, receivedAt, createId }: Arrival, text: string): NewChannelMessage {
  return {
    id: createId(),
    channel,
    conversationId: toChat(message),
    sender: message.sender,
    text,
    target: message.target,
    ...(message.group && { isGroup: true as const }),
    receivedAt,
  }
}

/** A name that cannot end the brackets around it. */
function speakerOf({ sender }: InboundMessage): string {
  const clean = (name = '') =>
    name
      .toWellFormed()
      .replace(/[[\]\p{C}\s]+/gu, ' ')
      .trim()
      .slice(0, maxSpeaker)
      .toWellFormed()
  return clean(sender.name) || clean(sender.id) || 'unknown'
}
