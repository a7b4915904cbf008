import { useMemo, useState, createContext } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { refresh } from '../api/refresh.ts'
import { describeError } from '../components/states/error-state.tsx'
import { showToast } from '../components/states/toasts.tsx'
import { attach, loadFile } from './files/chat-file.ts'
import { keepPendingQuestion, toChat } from './pending-questions.ts'
import { storedTurns, textOf, type Turn } from '@homeward/contract/runs'
import type { Chat } from './use-chat.ts'
import type { Message } from '@homeward/contract/agent-platform'
import { newId } from '../api/use-idempotency-key.ts'
import { platform } from '../api/platform.ts'

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
      conversationId,
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

/** Where a branch begins. */
interface BranchPoint {
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
async function branchConversation(point: BranchPoint): Promise<string> {
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

/** A message as a branch repeats it. */
interface BranchedMessage {
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
 * @param turnId of the last turn, as `storedTurns` names it
 * @param includesTurn whether that turn comes along, or only what stands before it
 */
export function branchedMessages(
  messages: readonly Message[],
  turnId: string,
  includesTurn: boolean,
): readonly BranchedMessage[] {
  const turns = storedTurns(messages)
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

/** What a person can do with the turns of a conversation. */
interface ChatActions {
  /** Whether it has to wait: a run works, or one of these is under way. */
  readonly conversationId: string
  readonly isBusy: boolean
  /** Turn whose question can be answered again: the newest one. */
  readonly retriedId: string | undefined
  readonly retry: () => void
  /** Begins a new conversation with the messages up to the end of this turn. */
  readonly branch: (turn: Turn) => void
  /** Sends the changed question of a turn in a new conversation, behind the messages before it. */
  readonly resend: (turn: Turn, task: string) => void
}

/** Undefined where turns are only read. */
export const ChatActionsOfThread = createContext<ChatActions | undefined>(undefined)
