import type { ReplyOf } from '@homeward/contract'
import type { AgentPlatformOperations } from '@homeward/contract/agent-platform'

// Each is one function for good: with another at each render, all rows would be other ones at each render.

/** The runs of a page. */
export const runsOf = ({ runs }: ReplyOf<AgentPlatformOperations['listRuns']>) => runs

/** The conversations of a page. */
export const conversationsOf = (reply: ReplyOf<AgentPlatformOperations['listConversations']>) =>
  'conversations' in reply ? reply.conversations : []

/** A page of a conversation: with its messages each says what is known of it as a whole. */
export const conversationPageOf = (reply: ReplyOf<AgentPlatformOperations['getConversation']>) => [reply]
