import { createHash } from 'node:crypto'
import type { ConversationStore, StoredConversation } from './ports/conversation-store.ts'
import { RuntimeError } from '../ports/runtime-error.ts'

/** Who wants to read a conversation, or to append to it. Whoever names no agent or user is not asked for it. */
interface ConversationCaller {
  readonly agentId?: string | undefined
  readonly userId?: string | undefined
}

/** A conversation belongs to one agent, and to one user when it has one (A12). */
export function isOwnConversation(
  conversation: Pick<StoredConversation, 'agentId'> & { readonly userId?: string | undefined },
  { agentId, userId }: ConversationCaller,
): boolean {
  if (agentId !== undefined && agentId !== conversation.agentId) return false
  return userId === undefined || conversation.userId === undefined || userId === conversation.userId
}

/** Stands in no id that somebody chose. */
const mark = '\u001f'

/**
 * How an id is stored that a caller for one user chose, for a conversation or a repeat: whatever others choose, it is the
 * user's own.
 *
 * @param id As the caller chose it, or as it is stored.
 */
export function ownId(id: string, userId: string): string {
  if (id.includes(mark)) return id
  return id + mark + createHash('sha256').update(userId).digest('base64url').slice(0, 22)
}

/** The id as somebody chose it, or as the platform gave it. */
export const shownId = (id: string): string => id.split(mark, 1)[0] ?? id

/** The same if a caller for one user chose it. */
export const chosenIdOf = (id: string): string | undefined => (id.includes(mark) ? shownId(id) : undefined)

/**
 * Finds a conversation by the id that somebody chose.
 *
 * @param userId The user who chose it. Absent: the only user who did, if no conversation has exactly this id.
 */
export async function findConversation(
  store: Pick<ConversationStore, 'findConversation' | 'listConversations'>,
  id: string,
  userId?: string,
  signal?: AbortSignal,
): Promise<StoredConversation | undefined> {
  const exact = await store.findConversation(id, signal)
  if (id.includes(mark) || (exact && (userId === undefined || exact.userId === userId))) return exact
  if (userId !== undefined) return (await store.findConversation(ownId(id, userId), signal)) ?? exact
  const { rows } = await store.listConversations({ chosenId: id }, { limit: 2 }, signal)
  return rows.length === 1 ? rows[0] : undefined
}

/** What a store refuses messages for somebody else's conversation with. */
export const notOwnConversation = (attempt: string) =>
  new RuntimeError(
    'not_found',
    `${attempt} failed: the agent has no conversation with this id for this user. List the conversations to find it.`,
  )
