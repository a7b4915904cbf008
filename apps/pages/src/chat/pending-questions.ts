import type { AttachedFile } from './files/chat-file.ts'

/** A message that is sent once its conversation is shown. */
export interface PendingQuestion {
  readonly task: string
  readonly files: readonly AttachedFile[]
}

const pending = new Map<string, PendingQuestion>()

/** Keeps a message for the conversation that is shown next. */
export function keepPendingQuestion(conversationId: string, question: PendingQuestion): void {
  pending.set(conversationId, question)
}

/** Gives the message of a conversation, once. */
export function takePendingQuestion(conversationId: string): PendingQuestion | undefined {
  const question = pending.get(conversationId)
  pending.delete(conversationId)
  return question
}
