import type { FileReference } from '../agent-platform/file.ts'
import type { Approval, RunStatus, StopReason } from '../agent-platform/run.ts'
import type { AnswerSource } from '../agent-platform/source.ts'
import type { RunEvent } from '../agent-platform/stream.ts'
import type { Usage } from '../agent-platform/usage.ts'
import type { Json } from '../json-value.ts'

/** A file of a turn. `GET /api/files/{id}` returns its bytes. */
export type TurnFile = Pick<FileReference, 'id' | 'name' | 'media_type' | 'bytes'>

/** A tool call and its result. */
export interface ToolPart {
  readonly kind: 'tool'
  readonly callId: string
  readonly name: string
  /** Arguments; null for a call that was denied before it started, and for a stored result without its call. */
  readonly args: Json
  readonly state: 'running' | 'done' | 'failed'
  /** The latest report of the tool while it runs. */
  readonly progress?: string | undefined
  readonly result?: Json | undefined
  readonly error?: string | undefined
  /** Decision of a person about the call. Present only in a stored turn. */
  readonly decision?: Pick<Approval, 'status' | 'reason' | 'edited_args' | 'decided_by'> | undefined
}

/** A tool call that waits or waited for approval. Decide with `decideApproval`. */
export interface ApprovalPart {
  readonly kind: 'approval'
  readonly id: string
  /** Run of the approval: this run or one that it started. */
  readonly runId: string
  readonly tool: string
  readonly args: Json
  /** Whether the approval is undecided. */
  readonly isOpen: boolean
}

/** One part of an agent's work: text, a tool call, or an approval. */
export type TurnPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string }
  | { readonly kind: 'file'; readonly file: TurnFile }
  | ToolPart
  | ApprovalPart

/** A person's task and the agent's work on it: one run. */
export interface Turn {
  /**
   * Id of the run, or of the message if it has no run. Before the run starts, the id that was passed to {@link
   * newTurn}.
   */
  readonly id: string
  readonly runId?: string | undefined
  readonly conversationId?: string | undefined
  /** Task of the person. Absent if unknown. */
  readonly task?: string | undefined
  /** Files of the task. */
  readonly files?: readonly TurnFile[] | undefined
  /** Creation time. Present only in a stored turn. */
  readonly createdAt?: string | undefined
  /** Text, tool calls and approvals of the agent, in order. */
  readonly parts: readonly TurnPart[]
  readonly status: RunStatus
  readonly stopReason?: StopReason | undefined
  readonly usage?: Usage | undefined
  readonly model?: string | undefined
  /** Reason why the run failed. */
  readonly failure?: { readonly message: string; readonly code: string } | undefined
  /** Pages that the provider named as sources of the answer. */
  readonly sources: readonly AnswerSource[]
  /** Warnings of the provider. */
  readonly warnings: readonly string[]
  /** Reason for a retry of the model call. Absent from the next event on. */
  readonly retry?: DataOf<'retry'> | undefined
}

/** The data of the run's event of this name. */
export type DataOf<Name extends RunEvent['event']> = Extract<RunEvent, { event: Name }>['data']

/** Creates the turn of a run that starts now, or whose events are not read yet. */
export function newTurn(given: { readonly id?: string } & Pick<Turn, 'runId' | 'task' | 'files'> = {}): Turn {
  const { runId, task, files } = given
  const id = given.id ?? runId ?? ''
  return { id, runId, task, files, parts: [], status: 'running', sources: [], warnings: [] }
}

/** Whether the run has ended. */
export const isTurnOver = ({ status }: Pick<Turn, 'status'>): boolean =>
  status !== 'running' && status !== 'waiting'

/** Returns the text of a turn's answer. */
export function textOf({ parts }: Pick<Turn, 'parts'>): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n\n')
}

/** Returns the tool calls that wait for approval, oldest first. */
export function waitingApprovals({ parts }: Pick<Turn, 'parts'>): readonly ApprovalPart[] {
  return parts.filter((part) => part.kind === 'approval' && part.isOpen) as ApprovalPart[] // of the kind in the filter
}

/**
 * Returns a turn with the approval marked as decided. Call it after `decideApproval`, because the event about the
 * decision arrives later.
 */
export function closeApproval(turn: Turn, approvalId: string): Turn {
  const parts = closeApprovals(turn.parts, ({ id }) => id === approvalId)
  const isDecided = turn.status === 'waiting' && waitingApprovals({ parts }).length === 0
  return { ...turn, parts, status: isDecided ? 'running' : turn.status }
}

/** Parts in which the open approvals that match wait no more. */
export function closeApprovals(
  parts: readonly TurnPart[],
  matches: (part: ApprovalPart) => boolean = () => true,
): readonly TurnPart[] {
  const isClosed = (part: TurnPart) => part.kind === 'approval' && part.isOpen && matches(part)
  if (!parts.some(isClosed)) return parts
  return parts.map((part) => (part.kind === 'approval' && isClosed(part) ? { ...part, isOpen: false } : part))
}
