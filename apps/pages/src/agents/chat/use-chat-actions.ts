import { useMemo, useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { refresh } from '../../api/refresh.ts'
import { describeError } from '../../components/states/error-state.tsx'
import { showToast } from '../../components/states/toasts.tsx'
import { branchConversation } from './branch-conversation.ts'
import type { ChatActions } from './chat-actions.ts'
import { attach } from './files/chat-file.ts'
import { loadFile } from './files/load-file.ts'
import { keepPendingQuestion } from './pending-questions.ts'
import { toChat } from './to-chat.ts'
import type { Turn } from './turn.ts'
import type { Chat } from './use-chat.ts'

/** What can be done with the turns of a conversation that is shown. */
export function useChatActions(
  chat: Pick<Chat, 'turns' | 'isWorking' | 'title' | 'regenerate'>,
  agentId: string,
  conversationId: string,
): ChatActions {
  const [isBranching, setIsBranching] = useState(false)
  const [, navigate] = useLocation()
  const queries = useQueryClient()
  const { turns, title, regenerate } = chat
  const isBusy = chat.isWorking || isBranching
  const last = turns.at(-1)
  const question = turns.findLast(({ task }) => task !== undefined)?.task
  // What is not kept, as what a check has refused, cannot be answered again.
  const isRetriable = question !== undefined
  const retriedId = isRetriable && last?.createdAt !== undefined ? last.id : undefined

  return useMemo(() => {
    async function open(turn: Turn, task?: string): Promise<void> {
      setIsBranching(true)
      try {
        const files = task === undefined ? [] : await filesOf(turn)
        const point = { agentId, conversationId, title, turnId: turn.id, includesTurn: task === undefined }
        const branch = await branchConversation(point)
        if (task !== undefined) keepPendingQuestion(branch, { task, files })
        void refresh(queries, { queryKey: ['listConversations'] })
        navigate(toChat(agentId, branch))
      } catch (error) {
        const { title: what, text } = describeError(error instanceof Error ? error : new Error(String(error)))
        showToast({ tone: 'bad', title: what, text })
      } finally {
        setIsBranching(false)
      }
    }
    return {
      isBusy,
      retriedId,
      retry: () => {
        if (question !== undefined) regenerate(question)
      },
      branch: (turn) => void open(turn),
      resend: (turn, task) => void open(turn, task),
    }
    // oxlint-disable-next-line react/exhaustive-deps -- `regenerate` is another one at each render and does the same
  }, [isBusy, retriedId, question, agentId, conversationId, title, navigate, queries])
}

/** The files of a question, to be sent again. */
async function filesOf({ files = [] }: Turn) {
  const loaded = await Promise.all(
    files.map(async (file) => new File([await loadFile(file)], file.name, { type: file.media_type })),
  )
  return (await attach([], loaded)).files
}
