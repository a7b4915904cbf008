import type { ChannelSenderStatus } from '@homeward/contract/agent-platform'
import type { NewJournalEvent } from '../store/ports/journal.ts'
import type {
  DeliveryFailure,
  NewChannelMessage,
  StoredChannelMessage,
} from '../store/ports/channel-store.ts'
import type { StoredSender } from '../store/ports/channel-sender.ts'
import type { InboundMessage } from '../ports/channel.ts'

// What the journal says about channels (A14): never what people wrote.

/** A message came in. */
export function toMessageEvent(message: NewChannelMessage): NewJournalEvent {
  return {
    type: 'channel.message',
    timestamp: message.receivedAt,
    data: { ...identify(message), ...(message.sender && { sender_id: message.sender.id }) },
  }
}

/** A message came in that nobody answers. */
export function toUnansweredEvent(
  channel: string,
  { conversationId }: InboundMessage,
  timestamp: string,
  { code, message }: DeliveryFailure,
): NewJournalEvent {
  return {
    type: 'channel.failed',
    timestamp,
    data: { channel, conversation_id: conversationId, code, message },
  }
}

/** An answer was delivered. */
export function toReplyEvent(
  message: StoredChannelMessage,
  platformIds: readonly string[],
  { timestamp, runId }: EventContext,
): NewJournalEvent {
  const parts = message.parts.length
  return {
    type: 'channel.reply',
    timestamp,
    ...(runId !== undefined && { runId }),
    data: { ...identify(message), parts, platform_ids: [...platformIds] },
  }
}

/** An answer was not delivered, or nobody can tell. */
export function toFailedEvent(
  message: StoredChannelMessage,
  status: 'failed' | 'uncertain',
  { code, message: reason }: DeliveryFailure,
  { timestamp, runId }: EventContext,
): NewJournalEvent {
  return {
    type: 'channel.failed',
    timestamp,
    ...(runId !== undefined && { runId }),
    data: { ...identify(message), status, code, message: reason },
  }
}

/** A sender asks to be let in, the operator has decided about it, or it is linked to a user. The code is not in it. */
export function toSenderEvent(
  { channel, id, kind }: Pick<StoredSender, 'channel' | 'id' | 'kind'>,
  { status, userId }: { readonly status?: ChannelSenderStatus; readonly userId?: string },
  timestamp: string,
): NewJournalEvent {
  return {
    type: 'channel.sender',
    timestamp,
    data: {
      channel,
      sender_id: id,
      ...(kind && { kind }),
      ...(status && { status }),
      ...(userId !== undefined && { user_id: userId }),
    },
  }
}

interface EventContext {
  readonly timestamp: string
  readonly runId: string | undefined
}

function identify({ channel, id, conversationId, taskId }: NewChannelMessage) {
  return {
    channel,
    message_id: id,
    conversation_id: conversationId,
    ...(taskId !== undefined && { task_id: taskId }),
  }
}
