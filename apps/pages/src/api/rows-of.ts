import type { ReplyOf } from '@homeward/contract'
import type { AgentPlatformOperations } from '@homeward/contract/agent-platform'

// Each is one function for good: with another at each render, all rows would be other ones at each render.

/** The runs of a page. */
export const runsOf = ({ runs }: ReplyOf<AgentPlatformOperations['listRuns']>) => runs

/** The conversations of a page. */
export const conversationsOf = (reply: ReplyOf<AgentPlatformOperations['listConversations']>) =>
  'conversations' in reply ? reply.conversations : []

/** The memories of a page. */
export const memoriesOf = ({ memories }: ReplyOf<AgentPlatformOperations['listMemories']>) => memories

/** Runs in which a person talks with an agent, as a filter of conversations. */
export const peopleSources = 'chat,channel,page,test'
/** Runs that a program or a plan starts. */
export const programSources = 'api,openai,mcp,task,schedule,trigger,graph,agent'

/** A page of a conversation: with its messages each says what is known of it as a whole. */
export const conversationPageOf = (reply: ReplyOf<AgentPlatformOperations['getConversation']>) => [reply]
