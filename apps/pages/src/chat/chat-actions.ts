import { createContext } from 'react'
import type { Turn } from '@homeward/contract/runs'

/** What a person can do with the turns of a conversation. */
export interface ChatActions {
  /** Whether it has to wait: a run works, or one of these is under way. */
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
