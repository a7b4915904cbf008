import type { Message } from '@homeward/contract/agent-platform'
import { textOf } from './turn.ts'
import { turnsOf } from './turns-of.ts'

/** A message as a branch repeats it. */
export interface BranchedMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string
}

/** The newest of them that a branch takes along. */
export const mostBranched = 200

/**
 * What a branch of a conversation begins with: the text of its messages, without tool calls and files. An answer that was
 * replaced by another one stays behind.
 *
 * @param messages oldest first
 * @param turnId of the last turn, as `turnsOf` names it
 * @param includesTurn whether that turn comes along, or only what stands before it
 */
export function branchedMessages(
  messages: readonly Message[],
  turnId: string,
  includesTurn: boolean,
): readonly BranchedMessage[] {
  const turns = turnsOf(messages)
  const index = turns.findIndex(({ id }) => id === turnId)
  const taken = turns.slice(0, includesTurn ? index + 1 : Math.max(index, 0))
  const branched = taken.flatMap((turn, at): BranchedMessage[] => {
    const next = taken[at + 1]
    const isReplaced = next !== undefined && next.task === undefined && next.runId !== undefined
    return [
      { role: 'user', content: turn.task ?? '' },
      { role: 'assistant', content: isReplaced ? '' : textOf({ ...turn }) },
    ]
  })
  return branched.filter(({ content }) => content !== '').slice(-mostBranched)
}
