import { RuntimeError } from '../../ports/runtime-error.ts'
import type { RuntimeServices } from '../../runtime/services.ts'
import type { Reach } from './reach.ts'

/** What the check of a conversation works with. */
export interface ConversationContext {
  readonly reach: Reach
  readonly services: Pick<RuntimeServices, 'conversations'>
}

/** @throws {HttpError} 403 for a conversation out of reach @throws {RuntimeError} `not_found` */
export async function assertConversation(
  id: string,
  { reach, services }: ConversationContext,
): Promise<void> {
  const { conversation } = await services.conversations.get(id, { limit: 1 })
  await reach.assert('The conversation', conversation)
}

/** The same for one that need not be there. @returns whether it is there. */
export async function assertKnownConversation(id: string, context: ConversationContext): Promise<boolean> {
  try {
    await assertConversation(id, context)
    return true
  } catch (error) {
    if (RuntimeError.is(error) && error.code === 'not_found') return false
    throw error
  }
}
