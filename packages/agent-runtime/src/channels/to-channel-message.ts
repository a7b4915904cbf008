import type { ChannelMessage } from '@homeward/contract/agent-platform'
import type { StoredChannelMessage } from '../store/ports/channel-store.ts'

/** A message as the interface shows it (A1). */
export function toChannelMessage(stored: StoredChannelMessage): ChannelMessage {
  const { id, channel, conversationId, sender, text, taskId, status, parts, failure } = stored
  return {
    id,
    channel,
    conversation_id: conversationId,
    ...(sender && { sender: { ...sender } }),
    text,
    ...(taskId !== undefined && { task_id: taskId }),
    status,
    parts: { total: parts.length, sent: parts.filter(({ state }) => state === 'sent').length },
    ...(failure && { failure: { ...failure } }),
    received_at: stored.receivedAt,
    updated_at: stored.updatedAt,
  }
}
