import { createHash } from 'node:crypto'

import type { AcceptanceBatch, MessageAcceptance } from '../../store/ports/channel-store.ts'
import type { Logger } from '../../ports/logger.ts'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import type { NewTask } from '../../store/ports/task-store.ts'
import { toCreatedEvent } from '../../tasks/task-events.ts'
import type { InboundMessage } from '../../ports/channel.ts'
import { toMessageEvent, toUnansweredEvent } from '../channel-events.ts'
import type { ActiveChannel } from '../channel-set.ts'
import { reasonOf } from '../../ports/reason-of.ts'

/** What came of a message: `gated` ones are not for the agent, and an `unanswered` one has no agent. */
export type InboxOutcome = 'accepted' | 'duplicate' | 'gated' | 'unanswered'

/** Takes messages in. */
export interface Inbox {
  /**
   * Keeps messages with the tasks that answer them, in one write.
   *
   * @returns what came of each; undefined, and nothing is kept, when somebody else asks the source by now.
   */
  accept(
    active: ActiveChannel,
    messages: readonly InboundMessage[],
    polled?: AcceptanceBatch['polled'],
  ): Promise<readonly InboxOutcome[] | undefined>
}

/** What {@link createInbox} is built from. */
export interface InboxOptions {
  readonly store: RuntimeStore
  readonly findAgent: (id: string) => Promise<object | undefined>
  /** Tells the workers of a task that was put into the queue. */
  readonly deliver: (task: NewTask) => Promise<void>
  readonly logger: Logger
  readonly now: () => number
  readonly createId: () => string
}

/** How long a message that comes again is known, in milliseconds: platforms try for a day (A22). */
const dedupeForMs = 24 * 60 * 60 * 1000
/** Longest id of a conversation, and longest key: indexes of databases take no text of any length. */
const maxId = 200
const maxAttempts = 3

interface Judged {
  readonly message: InboundMessage
  readonly acceptance?: MessageAcceptance
}

export function createInbox({ store, findAgent, deliver, logger, now, createId }: InboxOptions): Inbox {
  async function isAddressed({ isAddressed: yes, isFollowUp, conversationId, text }: InboundMessage) {
    if (text.trim() === '') return false
    if (yes || !isFollowUp) return yes
    const inThread = { conversationId: shortened(conversationId) }
    const known = await store.listChannelMessages(inThread, { limit: 1 })
    return known.rows.length > 0
  }

  /** A conversation belongs to one agent: when another one answers from now on, another one begins. */
  async function conversationFor(id: string, agentId: string): Promise<string> {
    const short = shortened(id)
    const known = await store.findConversation(short)
    return known === undefined || known.agentId === agentId ? short : shortened(`${id} ${agentId}`)
  }

  async function toAcceptance(
    { channel, agentId }: ActiveChannel,
    message: InboundMessage,
  ): Promise<MessageAcceptance> {
    const receivedAt = new Date(now()).toISOString()
    // providers refuse half a character, and from then on every turn of the conversation that holds it
    const text = message.text.toWellFormed()
    const keys = message.dedupeKeys.map((key) => shortened(`${channel.id} ${key}`))
    const keysUntil = new Date(now() + (message.dedupeForMs ?? dedupeForMs)).toISOString()
    const problem = await agentProblem(channel.id, agentId, findAgent)
    if (agentId === undefined || problem !== undefined) {
      const reason = { code: 'no_agent', message: problem ?? '' }
      return { keys, keysUntil, journal: [toUnansweredEvent(channel.id, message, receivedAt, reason)] }
    }
    const kept = {
      id: createId(),
      channel: channel.id,
      conversationId: shortened(message.conversationId),
      sender: message.sender,
      text,
      target: message.target,
      taskId: createId(),
      receivedAt,
    }
    const task: NewTask = {
      id: kept.taskId,
      subject: { kind: 'agent', id: agentId },
      input: text,
      conversationId: await conversationFor(message.conversationId, agentId),
      priority: 0,
      maxAttempts,
      metadata: { channel: channel.id, message_id: kept.id },
      serialKey: `channel ${kept.conversationId}`,
      createdAt: receivedAt,
      runAt: receivedAt,
    }
    const journal = [toMessageEvent(kept), toCreatedEvent(task)]
    return { keys, keysUntil, entry: { message: kept, task }, journal }
  }

  async function tell(task: NewTask): Promise<void> {
    try {
      await deliver(task)
    } catch (error) {
      // It is in the store: the workers' next look finds it.
      logger.error('Telling the workers of a message failed.', { reason: reasonOf(error) })
    }
  }

  return {
    async accept(active, messages, polled) {
      const judged: Judged[] = []
      for (const message of messages) {
        const isMeant = await isAddressed(message)
        judged.push(isMeant ? { message, acceptance: await toAcceptance(active, message) } : { message })
      }
      const acceptances = judged.flatMap(({ acceptance }) => acceptance ?? [])
      if (acceptances.length === 0 && polled === undefined) return judged.map(() => 'gated')
      const at = new Date(now()).toISOString()
      const accepted = await store.acceptMessages({ now: at, acceptances, ...(polled && { polled }) })
      if (accepted === undefined) return undefined
      const fresh = new Set(acceptances.filter((_, index) => accepted[index]))
      for (const { entry } of fresh) if (entry) await tell(entry.task)
      return judged.map(({ acceptance }) => {
        if (!acceptance) return 'gated'
        if (!fresh.has(acceptance)) return 'duplicate'
        return acceptance.entry ? 'accepted' : 'unanswered'
      })
    },
  }
}

/** Why nobody answers at a channel, and what to do; undefined when somebody does. */
export async function agentProblem(
  channel: string,
  agentId: string | undefined,
  findAgent: InboxOptions['findAgent'],
): Promise<string | undefined> {
  if (agentId === undefined) {
    return `No agent answers here: set ${channel}_default_agent_id to the id of an agent.`
  }
  if ((await findAgent(agentId)) !== undefined) return undefined
  return `The agent that ${channel}_default_agent_id names does not exist: create it, or name another one.`
}

function shortened(id: string): string {
  if (id.length <= maxId) return id
  return `${id.slice(0, 100)}:${createHash('sha256').update(id).digest('hex')}`
}
