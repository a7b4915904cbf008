import type { AttachedFile } from './files/chat-file.ts'
import { useEffect, useRef } from 'react'

/** A message that is sent once its conversation is shown. */
interface PendingQuestion {
  readonly task: string
  readonly files: readonly AttachedFile[]
}

const pending = new Map<string, PendingQuestion>()

/** Keeps a message for the conversation that is shown next. */
export function keepPendingQuestion(conversationId: string, question: PendingQuestion): void {
  pending.set(conversationId, question)
}

/** Gives the message of a conversation, once. */
function takePendingQuestion(conversationId: string): PendingQuestion | undefined {
  const question = pending.get(conversationId)
  pending.delete(conversationId)
  return question
}

/** Address of a conversation in the chat. */
export function toChat(agentId: string, conversationId: string): string {
  return `/chat/${encodeURIComponent(agentId)}?conversation=${encodeURIComponent(conversationId)}`
}

/** Sends the message that waits for a conversation, once. */
export function usePendingQuestion(
  conversationId: string,
  send: (task: string, files: readonly AttachedFile[]) => void,
): void {
  const sendNow = useRef(send)
  useEffect(() => {
    sendNow.current = send
  })
  useEffect(() => {
    const question = takePendingQuestion(conversationId)
    if (question) sendNow.current(question.task, question.files)
  }, [conversationId])
}
