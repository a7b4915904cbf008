import type { ReportTarget } from '@homeward/contract/agent-platform'

/** Chats as texts: `channel_a:42` is the chat `42` of `channel_a`. */
export function toChats(targets: readonly ReportTarget[]): string[] {
  return targets.map(({ channel, conversation_id: id }) =>
    id.startsWith(`${channel}:`) ? id : `${channel}:${id}`,
  )
}

/** The chats of texts. @returns null for none */
export function toTargets(chats: readonly string[]): ReportTarget[] | null {
  if (chats.length === 0) return null
  return chats.map((chat) => {
    const end = chat.indexOf(':')
    return { channel: chat.slice(0, Math.max(end, 0)), conversation_id: chat.slice(end + 1) }
  })
}
