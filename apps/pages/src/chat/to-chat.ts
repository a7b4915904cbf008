/** Address of a conversation in the chat. */
export function toChat(agentId: string, conversationId: string): string {
  return `/chat/${encodeURIComponent(agentId)}?conversation=${encodeURIComponent(conversationId)}`
}
