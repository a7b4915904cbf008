import type { Json, RunEvent, RunStatus, Source, StopReason } from '@homeward/contract/agent-platform'

/** A tool call as a turn shows it. */
export interface ToolPart {
  readonly kind: 'tool'
  readonly callId: string
  readonly name: string
  readonly args: Json
  readonly state: 'running' | 'done' | 'failed'
  /** What the tool reported last, while it works. */
  readonly progress?: string
  readonly result?: Json
  readonly error?: string
}

/** A tool call that waits for a person. */
export interface WaitingCall {
  /** Of the approval. */
  readonly id: string
  /** Run of the approval: this one, or one that it started. */
  readonly runId: string
  readonly tool: string
  readonly args: Json
}

/** A file that the model made. */
export interface FilePart {
  readonly kind: 'file'
  readonly id: string
  readonly name: string
  readonly bytes: number
}

/** One thing that an agent did, in its order. */
export type TurnPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string }
  | ToolPart
  | FilePart

/** What a person asked, and what the agent made of it. */
export interface Turn {
  readonly runId?: string
  readonly conversationId?: string
  readonly parts: readonly TurnPart[]
  readonly status: RunStatus
  readonly stopReason?: StopReason
  readonly failure?: { readonly message: string; readonly code: string }
  readonly sources: readonly Source[]
  readonly warnings: readonly string[]
  /** Calls that wait for a person. */
  readonly waiting: readonly WaitingCall[]
  /** Why the model is called again; until the next event. */
  readonly retry?: { readonly model: string; readonly reason: string; readonly in_ms: number }
}

/** The turn of a run that has just begun. */
export const newTurn: Turn = { parts: [], status: 'running', sources: [], warnings: [], waiting: [] }

/** A turn with one more event of its run. */
export function addEvent({ retry: _retry, ...turn }: Turn, event: RunEvent): Turn {
  switch (event.event) {
    case 'start':
      return addStart(turn, event.data)
    case 'retry':
      return { ...turn, retry: event.data }
    case 'assistant':
      return { ...goOn(turn), parts: addText(turn.parts, 'text', event.data.delta) }
    case 'reasoning':
      return { ...goOn(turn), parts: addText(turn.parts, 'reasoning', event.data.delta) }
    case 'source':
      return { ...turn, sources: [...turn.sources, event.data] }
    case 'file': {
      const { id, name, bytes } = event.data
      return { ...turn, parts: [...turn.parts, { kind: 'file', id, name, bytes }] }
    }
    case 'tool_start':
      return { ...goOn(turn, event.data.name), parts: startCall(turn.parts, event.data) }
    case 'tool_progress':
      return { ...turn, parts: noteProgress(turn.parts, event.data) }
    case 'tool_call':
      return { ...goOn(turn, event.data.name), parts: endCall(turn.parts, event.data) }
    case 'approval':
      return addWaiting(turn, event.data)
    case 'done':
      return endTurn(turn, event.data)
    case 'error': {
      const status = event.data.code === 'cancelled' ? 'cancelled' : 'failed'
      return { ...turn, status, waiting: [], failure: event.data }
    }
    case 'usage':
    case 'node_start':
    case 'node_done':
    default:
      return turn // tokens, and events of graphs
  }
}

type DataOf<Name extends RunEvent['event']> = Extract<RunEvent, { event: Name }>['data']

function addStart(turn: Turn, data: DataOf<'start'>): Turn {
  const conversationId = 'conversation_id' in data ? data.conversation_id : turn.conversationId
  return { ...turn, runId: data.run_id, ...(conversationId !== undefined && { conversationId }) }
}

/** A run continues once every call is decided: then text follows, or a call that waited. */
function goOn(turn: Turn, tool?: string): Turn {
  const isDecided = tool === undefined || turn.waiting.some((call) => call.tool === tool)
  return isDecided ? { ...turn, waiting: [], status: 'running' } : turn
}

/** A turn in which a person has decided about a call. */
export function withoutWaiting(turn: Turn, approvalId: string): Turn {
  const waiting = turn.waiting.filter(({ id }) => id !== approvalId)
  return { ...turn, waiting, status: waiting.length === 0 ? 'running' : turn.status }
}

function addText(parts: readonly TurnPart[], kind: 'text' | 'reasoning', delta: string): readonly TurnPart[] {
  const last = parts.at(-1)
  if (last?.kind !== kind) return [...parts, { kind, text: delta }]
  return [...parts.slice(0, -1), { kind, text: last.text + delta }]
}

function startCall(
  parts: readonly TurnPart[],
  { id, name, args }: DataOf<'tool_start'>,
): readonly TurnPart[] {
  return [...parts, { kind: 'tool', callId: id, name, args, state: 'running' }]
}

/** Some providers use the ids of calls again in the next turn: the newest running call is meant. */
const runningCall = (parts: readonly TurnPart[], id: string) =>
  parts.findLastIndex((part) => part.kind === 'tool' && part.callId === id && part.state === 'running')

function noteProgress(
  parts: readonly TurnPart[],
  { id, text }: DataOf<'tool_progress'>,
): readonly TurnPart[] {
  const index = runningCall(parts, id)
  const part = parts[index]
  return part?.kind === 'tool' ? parts.with(index, { ...part, progress: text }) : parts
}

function endCall(parts: readonly TurnPart[], data: DataOf<'tool_call'>): readonly TurnPart[] {
  const { id, name, result, error } = data
  const index = runningCall(parts, id)
  const part = parts[index]
  const outcome = {
    state: error === undefined ? ('done' as const) : ('failed' as const),
    ...(result !== undefined && { result }),
    ...(error !== undefined && { error }),
  }
  // A call that was denied was never announced.
  if (part?.kind !== 'tool') return [...parts, { kind: 'tool', callId: id, name, args: null, ...outcome }]
  const { progress: _progress, ...call } = part
  return parts.with(index, { ...call, ...outcome })
}

function addWaiting(turn: Turn, { id, tool, args, run_id: other }: DataOf<'approval'>): Turn {
  if (turn.waiting.some((call) => call.id === id)) return turn
  const call: WaitingCall = { id, runId: other ?? turn.runId ?? '', tool, args }
  return { ...turn, status: 'waiting', waiting: [...turn.waiting, call] }
}

function endTurn(turn: Turn, data: DataOf<'done'>): Turn {
  const ended: Turn = { ...turn, status: 'completed', waiting: [] }
  const parts = withFinalText(turn.parts, data.finalContent)
  if (!('stop_reason' in data)) return { ...ended, parts }
  const { stop_reason: stopReason, warnings = [] } = data
  const status = stopReason === 'cancelled' ? 'cancelled' : 'completed'
  return { ...ended, parts, stopReason, warnings, status }
}

/** `done` holds the whole answer. It is shown if no delta of it arrived. */
function withFinalText(parts: readonly TurnPart[], text: string): readonly TurnPart[] {
  const last = parts.findLast(({ kind }) => kind === 'text' || kind === 'tool')
  return text === '' || last?.kind === 'text' ? parts : [...parts, { kind: 'text', text }]
}

/** Whether nothing of the run follows. */
export const isOver = ({ status }: Turn) => status !== 'running' && status !== 'waiting'
