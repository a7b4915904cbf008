import type { Message } from '@homeward/contract/agent-platform'
import { newId } from '../../api/new-id.ts'
import { platform } from '../../api/platform.ts'
import { branchedMessages } from './branched-messages.ts'

/** Where a branch begins. */
export interface BranchPoint {
  readonly agentId: string
  readonly conversationId: string
  readonly title: string | undefined
  readonly turnId: string
  readonly includesTurn: boolean
}

/**
 * Begins a conversation with the messages of another one up to a turn.
 *
 * @returns its id; that of an empty one, which its first message begins, where there is nothing to take along.
 */
export async function branchConversation(point: BranchPoint): Promise<string> {
  const { agentId: agent_id, conversationId, turnId, includesTurn, title = 'conversation' } = point
  const messages = branchedMessages(await readMessages(conversationId), turnId, includesTurn)
  let branch: string | undefined
  for (const message of messages) {
    const place =
      branch === undefined
        ? { agent_id, title: `Branch of ${title}`.slice(0, 500) }
        : { conversation_id: branch }
    const reply = await platform.appendMessage({
      body: { ...place, ...message },
      headers: { 'idempotency-key': newId() },
    })
    branch = reply.conversation_id
  }
  return branch ?? newId()
}

/** All messages, oldest first. */
async function readMessages(id: string): Promise<readonly Message[]> {
  const pages: Message[][] = []
  let cursor: string | undefined
  do {
    const query = { limit: '500', ...(cursor !== undefined && { cursor }) }
    const page = await platform.getConversation({ params: { id }, query })
    pages.unshift(page.messages)
    cursor = page.next_cursor
  } while (cursor !== undefined)
  return pages.flat()
}
