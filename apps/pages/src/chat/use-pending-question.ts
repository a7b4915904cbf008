import { useEffect, useRef } from 'react'
import type { AttachedFile } from './files/chat-file.ts'
import { takePendingQuestion } from './pending-questions.ts'

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
