import type {
  Approval,
  Json,
  RunEvent,
  RunStatus,
  Source,
  StopReason,
  Usage,
} from '@homeward/contract/agent-platform'
import type { ChatFile } from './files/chat-file.ts'

/** A tool call as a turn shows it. */
export interface ToolPart {
  readonly kind: 'tool'
  readonly callId: string
  readonly name: string
  readonly args: Json
  readonly isDone: boolean
  /** What the tool reported last, while it works. */
  readonly progress?: string | undefined
  readonly result?: Json | undefined
  readonly error?: string | undefined
  /** What a person decided about it. */
  readonly decision?: Pick<Approval, 'status' | 'reason' | 'edited_args' | 'decided_by'> | undefined
}

/** A tool call that waits, or waited, for a person. */
export interface ApprovalPart {
  readonly kind: 'approval'
  readonly id: string
  /** Run whose approval it is: this one, or one that it asked for. */
  readonly runId: string
  readonly tool: string
  readonly args: Json
}

/** A file that the agent's model made. */
export interface FilePart {
  readonly kind: 'file'
  readonly file: ChatFile
}

/** What the model thinks. It is there while its run is followed, and not after a reload. */
export interface ReasoningPart {
  readonly kind: 'reasoning'
  readonly text: string
}

/** What an agent did in one turn, in its order. */
export type TurnPart =
  | { readonly kind: 'text'; readonly text: string }
  | ReasoningPart
  | ToolPart
  | ApprovalPart
  | FilePart

/**
 * A key for each part. The stored turn, which takes the place of the live one, has no approvals and may lack reasoning: a
 * call keeps its key all the same, so a fold that a person opened stays open.
 */
export function keysOf(parts: readonly TurnPart[]): readonly string[] {
  const seen = new Map<string, number>()
  return parts.map((part) => {
    const name = part.kind === 'tool' ? `tool ${part.callId}` : part.kind
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    return `${name} ${count}`
  })
}

/** Why a run failed. */
export interface TurnFailure {
  readonly message: string
  readonly code: string
}

/** What a person said, and what the agent made of it. */
export interface Turn {
  /** Of the run; of the message where there was none. */
  readonly id: string
  readonly runId?: string | undefined
  readonly task?: string | undefined
  /** Files that belong to the task. */
  readonly files?: readonly ChatFile[] | undefined
  readonly createdAt?: string | undefined
  readonly parts: readonly TurnPart[]
  readonly status: RunStatus
  readonly stopReason?: StopReason | undefined
  readonly usage?: Usage | undefined
  readonly model?: string | undefined
  readonly failure?: TurnFailure | undefined
  /** Pages that the answer rests on. */
  readonly sources?: readonly Source[] | undefined
  /** What the provider of the model warned of. */
  readonly warnings?: readonly string[] | undefined
  /** Why the model is called again; until the next event. */
  readonly retry?: DataOf<'retry'> | undefined
}

/** The turn of a run that has just begun. */
export function newTurn(id: string, task: string | undefined, files?: readonly ChatFile[]): Turn {
  return { id, task, files, parts: [], status: 'running' }
}

/** A turn with one more event of its run. */
export function addEvent({ retry: _retry, ...turn }: Turn, { event, data }: RunEvent): Turn {
  switch (event) {
    case 'retry':
      return { ...turn, retry: data }
    case 'start':
      return { ...turn, id: data.run_id, runId: data.run_id, ...('model' in data && { model: data.model }) }
    case 'assistant':
      return { ...goingOn(turn), parts: addText(turn.parts, 'text', data.delta) }
    case 'reasoning':
      return { ...goingOn(turn), parts: addText(turn.parts, 'reasoning', data.delta) }
    case 'source':
      return { ...turn, sources: [...(turn.sources ?? []), data] }
    case 'file':
      return { ...goingOn(turn), parts: [...turn.parts, { kind: 'file', file: data }] }
    case 'tool_start':
      return { ...goingOn(turn), parts: addCall(turn.parts, data) }
    case 'tool_progress':
      return { ...turn, parts: noteProgress(turn.parts, data) }
    case 'tool_call':
      return { ...goingOn(turn), parts: endCall(turn.parts, data) }
    case 'approval':
      return { ...turn, status: 'waiting', parts: addApproval(turn, data) }
    case 'usage':
      return { ...turn, usage: data }
    case 'done':
      return endTurn(turn, data)
    case 'error':
      return { ...turn, status: data.code === 'cancelled' ? 'cancelled' : 'failed', failure: data }
    case 'node_start':
    case 'node_done':
      return turn // of a graph's run
  }
}

const goingOn = (turn: Turn): Turn => (turn.status === 'waiting' ? { ...turn, status: 'running' } : turn)

type DataOf<Name extends RunEvent['event']> = Extract<RunEvent, { event: Name }>['data']

function addText(parts: readonly TurnPart[], kind: 'text' | 'reasoning', delta: string): readonly TurnPart[] {
  const last = parts.at(-1)
  if (last?.kind !== kind) return [...parts, { kind, text: delta }]
  return [...parts.slice(0, -1), { kind, text: last.text + delta }]
}

function addCall(parts: readonly TurnPart[], { id, name, args }: DataOf<'tool_start'>): readonly TurnPart[] {
  return [...parts, { kind: 'tool', callId: id, name, args, isDone: false }]
}

const openCall = (parts: readonly TurnPart[], id: string) =>
  parts.findLastIndex((part) => part.kind === 'tool' && part.callId === id && !part.isDone)

function noteProgress(
  parts: readonly TurnPart[],
  { id, text }: DataOf<'tool_progress'>,
): readonly TurnPart[] {
  const index = openCall(parts, id)
  const open = parts[index]
  return open?.kind === 'tool' ? parts.with(index, { ...open, progress: text }) : parts
}

/** Some providers give the ids of calls again in the next turn: the newest one that is open is meant. */
function endCall(parts: readonly TurnPart[], data: DataOf<'tool_call'>): readonly TurnPart[] {
  const { id, name, result, error } = data
  const index = openCall(parts, id)
  const open = parts[index]
  if (open?.kind !== 'tool') {
    // A call that was denied, or not made, was never announced.
    return [...parts, { kind: 'tool', callId: id, name, args: null, isDone: true, result, error }]
  }
  return parts.with(index, { ...open, progress: undefined, isDone: true, result, error })
}

function addApproval({ id: turnId, runId, parts }: Turn, data: DataOf<'approval'>): readonly TurnPart[] {
  const { id, tool, args, run_id: other } = data
  if (parts.some((part) => part.kind === 'approval' && part.id === id)) return parts
  return [...parts, { kind: 'approval', id, runId: other ?? runId ?? turnId, tool, args }]
}

function endTurn(turn: Turn, data: DataOf<'done'>): Turn {
  const ended: Turn = { ...turn, status: 'completed', parts: withFinalText(turn.parts, data.finalContent) }
  if (!('stop_reason' in data)) return ended
  const { stop_reason: stopReason, usage, model, warnings } = data
  return {
    ...ended,
    stopReason,
    usage,
    model,
    warnings,
    status: stopReason === 'cancelled' ? 'cancelled' : 'completed',
  }
}

/** The end of a run says its whole answer: it stands where no delta of it came. */
function withFinalText(parts: readonly TurnPart[], text: string): readonly TurnPart[] {
  const last = parts.findLast(({ kind }) => kind !== 'reasoning' && kind !== 'file')
  if (text === '' || last?.kind === 'text') return parts
  return [...parts, { kind: 'text', text }]
}

/** A turn that was read from its messages, with the reasoning that was heard while it ran. */
export function withReasoningOf(kept: Turn, live: Turn): Turn {
  const parts = [...kept.parts]
  for (const [index, part] of live.parts.entries()) {
    // As many parts stand before it as stood there live.
    if (part.kind === 'reasoning') parts.splice(Math.min(index, parts.length), 0, part)
  }
  return parts.length === kept.parts.length ? kept : { ...kept, parts }
}

/** All text of a turn's answer. */
export function textOf({ parts }: Turn): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n\n')
}
