import type { FileReference } from '../agent-platform/file.ts'
import type { Approval, RunStatus, StopReason } from '../agent-platform/run.ts'
import type { AnswerSource } from '../agent-platform/source.ts'
import type { RunEvent } from '../agent-platform/stream.ts'
import type { Usage } from '../agent-platform/usage.ts'
import type { Json } from '../json-value.ts'

/** A file of a turn. `GET /api/files/{id}` gives its bytes. */
export type TurnFile = Pick<FileReference, 'id' | 'name' | 'media_type' | 'bytes'>

/** A tool call and its result. */
export interface ToolPart {
  readonly kind: 'tool'
  readonly callId: string
  readonly name: string
  /** Null for a call that was denied before it began, and for a stored result without its call. */
  readonly args: Json
  readonly state: 'running' | 'done' | 'failed'
  /** The latest report of the tool while it runs. */
  readonly progress?: string | undefined
  readonly result?: Json | undefined
  readonly error?: string | undefined
  /** What a person decided about the call. Only a stored turn has it. */
  readonly decision?: Pick<Approval, 'status' | 'reason' | 'edited_args' | 'decided_by'> | undefined
}

/** A tool call that waits, or waited, for a person. Answer it with `decideApproval`. */
export interface ApprovalPart {
  readonly kind: 'approval'
  readonly id: string
  /** The run of the approval: this one, or a run that it started. */
  readonly runId: string
  readonly tool: string
  readonly args: Json
  /** Whether nobody has decided yet. */
  readonly isOpen: boolean
}

/** One thing that an agent did. */
export type TurnPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string }
  | { readonly kind: 'file'; readonly file: TurnFile }
  | ToolPart
  | ApprovalPart

/** A task of a person, and everything that the agent did about it: one run. */
export interface Turn {
  /** Id of the run, or of the message if it has no run. Until the run starts, the id that {@link newTurn} got. */
  readonly id: string
  readonly runId?: string | undefined
  readonly conversationId?: string | undefined
  /** Absent if the message of the person is not known. */
  readonly task?: string | undefined
  /** Files of the task. */
  readonly files?: readonly TurnFile[] | undefined
  /** Only of a stored turn. */
  readonly createdAt?: string | undefined
  /** What the agent did, in order. */
  readonly parts: readonly TurnPart[]
  readonly status: RunStatus
  readonly stopReason?: StopReason | undefined
  readonly usage?: Usage | undefined
  readonly model?: string | undefined
  /** Why the run failed. */
  readonly failure?: { readonly message: string; readonly code: string } | undefined
  /** Pages that the provider names as sources of the answer. */
  readonly sources: readonly AnswerSource[]
  /** Warnings of the provider. */
  readonly warnings: readonly string[]
  /** Why the model is called again. Absent from the next event on. */
  readonly retry?: DataOf<'retry'> | undefined
}

/** The data of the run's event of this name. */
export type DataOf<Name extends RunEvent['event']> = Extract<RunEvent, { event: Name }>['data']

/** The turn of a run that is about to start, or of which nothing is read yet. */
export function newTurn(given: { readonly id?: string } & Pick<Turn, 'runId' | 'task' | 'files'> = {}): Turn {
  const { runId, task, files } = given
  const id = given.id ?? runId ?? ''
  return { id, runId, task, files, parts: [], status: 'running', sources: [], warnings: [] }
}

/** Whether the run has ended. */
export const isTurnOver = ({ status }: Pick<Turn, 'status'>): boolean =>
  status !== 'running' && status !== 'waiting'

/** The text of a turn's answer. */
export function textOf({ parts }: Pick<Turn, 'parts'>): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n\n')
}

/** The tool calls that wait for a person, oldest first. */
export function waitingApprovals({ parts }: Pick<Turn, 'parts'>): readonly ApprovalPart[] {
  return parts.filter((part) => part.kind === 'approval' && part.isOpen) as ApprovalPart[] // of the kind in the filter
}

/** A turn whose approval was just decided. Call it after `decideApproval`: events tell of the decision later. */
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
