import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import type { NewChannelMessage, StoredChat } from '../../store/ports/channel-store.ts'
import { repeatableId, usedKey } from '../../store/repeatable-id.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { isAllowedPeer } from '../access/judge-sender.ts'
import type { ActiveChannel } from '../channel-set.ts'
import type { Channels } from '../channels.ts'
import { toChannelMessage } from '../to-channel-message.ts'

type Store = Pick<RuntimeStore, 'findChat' | 'findChannelSenders' | 'sendChannelMessage'>

/** What {@link createSending} needs besides the store. */
export interface SendingContext {
  /** A channel that is set up. @throws {RuntimeError} that begins with what was attempted */
  findActive(name: string, attempt: string): Promise<ActiveChannel>
  readonly now: () => number
  readonly createId: () => string
  /** Looks for messages to deliver. */
  wake(): void
}

const attempt = 'Sending a message failed'

/** Messages that start with the agent. */
export function createSending(
  store: Store,
  { findActive, now, createId, wake }: SendingContext,
): Pick<Channels, 'send'> {
  return {
    async send(name, { conversation_id: conversationId, text, idempotency_key: key }) {
      const active = await findActive(name, attempt)
      const channel = active.channel.id
      const chat = await store.findChat(channel, conversationId)
      if (!chat) {
        const fix = 'A chat is known once the agent has received a message from it.'
        throw new RuntimeError('not_found', `${attempt}: ${channel} does not know this conversation. ${fix}`)
      }
      if (!(await mayReceive(store, active, chat))) {
        const fix = `Allow it at /api/channels/${channel}/senders.`
        throw new RuntimeError('forbidden', `${attempt}: the ${chat.peer.kind} is not allowed. ${fix}`)
      }
      const wanted: NewChannelMessage = {
        id: key === undefined ? createId() : repeatableId(key, ['channel send']),
        channel,
        conversationId: chat.id,
        text,
        answer: text.toWellFormed(),
        target: chat.target,
        receivedAt: new Date(now()).toISOString(),
      }
      const { message, created } = await store.sendChannelMessage(wanted)
      if (!created && !isSame(message, wanted)) throw usedKey(attempt, 'message')
      wake()
      return toChannelMessage(message)
    },
  }
}

/** Whether the agent may write to a chat first: its person or its group is allowed, and not only let in because all are. */
export async function mayReceive(
  store: Pick<RuntimeStore, 'findChannelSenders'>,
  { channel, policy }: ActiveChannel,
  { peer }: Pick<StoredChat, 'peer'>,
): Promise<boolean> {
  return isAllowedPeer(peer, await store.findChannelSenders(channel.id, [peer.id]), policy)
}

function isSame(known: NewChannelMessage, wanted: NewChannelMessage): boolean {
  const { channel, conversationId, text } = wanted
  return known.channel === channel && known.conversationId === conversationId && known.text === text
}
