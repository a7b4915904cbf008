import type { NewMessage } from '../ports/conversation-store.ts'

/** The run whose turn these messages are: their ids are the run's with a number behind it, counting from 0. */
export function runOfTurn(messages: readonly NewMessage[]): string | undefined {
  const runId = messages[0]?.runId
  if (runId === undefined) return undefined
  const isTurn = messages.every(
    ({ id, runId: other }, index) => other === runId && id === toTurnId(runId, index),
  )
  return isTurn ? runId : undefined
}

/** Id of a message of a turn. */
export const toTurnId = (runId: string, index: number) => `${runId}.${index}`
