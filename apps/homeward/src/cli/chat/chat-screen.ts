import type { ApprovalPart, Turn } from '@homeward/contract/runs'

/** What the line below the chat tells. */
export interface ChatStatus {
  readonly agentId: string
  readonly isBusy: boolean
  readonly isStopping: boolean
  readonly isConnected: boolean
  /** Whether the run has begun: then it continues on the server, whatever happens to the connection. */
  readonly hasBegun: boolean
  /** The first call that waits for a person. */
  readonly waiting: ApprovalPart | undefined
  /** Whether the arguments of that call are shown whole. */
  readonly isDetailed: boolean
  /** Names of files that the next message brings along. */
  readonly files: readonly string[]
  /** Messages that are sent when the answer has ended. */
  readonly queued: number
}

/** Where a chat is shown: a terminal with a cursor, or lines that are only appended. All text is cleaned by the screen. */
export interface ChatScreen {
  /** A message of the person. @param isTyped whether it was typed just now, and not read from the server */
  showMessage(text: string, files: readonly string[], isTyped: boolean): void
  /** The turn so far: of a run that is being read, or of an earlier one. */
  showTurn(turn: Turn): void
  /** The turn, whole. The next turn starts below. */
  endTurn(turn: Turn): void
  /** Something that the chat itself says; may have several lines. */
  showNote(text: string): void
  showError(text: string): void
  showStatus(status: ChatStatus): void
  /** Gives back a message that could not be sent. */
  restoreInput(text: string): void
}
