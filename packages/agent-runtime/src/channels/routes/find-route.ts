import type { InboundMessage } from '../../ports/channel.ts'
import type { ChatStore } from '../../store/ports/channel-chat.ts'
import { toShortId } from '../short-id.ts'

/** Who answers a message, by the routes of its channel. */
export interface MessageRoute {
  /** Absent without a route. */
  readonly agentId?: string
  /** Conversation whose route is changed from this chat. */
  readonly conversation: string
}

/** Finds the route of a message: the one of its thread, else of its chat, else of its group or, in private, of its person. */
export async function findRoute(
  store: Pick<ChatStore, 'findChannelRoutes'>,
  channel: string,
  {
    conversationId,
    chatId,
    group,
    sender,
  }: Pick<InboundMessage, 'conversationId' | 'chatId' | 'group' | 'sender'>,
): Promise<MessageRoute> {
  const thread = conversationId.slice(channel.length + 1)
  const names = [thread, chatId, (group ?? sender).id].flatMap((id) =>
    id === undefined ? [] : toShortId(id),
  )
  const routes = await store.findChannelRoutes(channel, names)
  const [nearest] = names.flatMap((name) => routes.filter(({ conversation }) => conversation === name))
  return nearest ?? { conversation: toShortId(group?.id ?? chatId ?? thread) }
}
