import type { Channel, InboundMessage } from '../../ports/channel.ts'
import type { SeenChat } from '../../store/ports/channel-chat.ts'
import type { MessagePeers } from '../access/judge-sender.ts'
import { toShortId } from '../short-id.ts'

/** The chat of a message as it is stored, so that the agent can write there first. */
export function toSeenChat(
  channel: Channel,
  { conversationId, target }: InboundMessage,
  { person, group }: MessagePeers,
): SeenChat {
  const { id, kind } = group ?? person
  return {
    id: toShortId(conversationId),
    channel: channel.id,
    target: channel.toChatTarget?.(target) ?? target,
    peer: { id, kind },
  }
}
