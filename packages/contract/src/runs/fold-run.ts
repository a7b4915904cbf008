import type { FollowedRunEvent } from './follow-run.ts'
import {
  closeApprovals,
  type DataOf,
  newTurn,
  waitingApprovals,
  type ToolPart,
  type Turn,
  type TurnPart,
} from './turn.ts'

/**
 * Adds one event of a run to its turn, and returns a new turn. Turns are immutable.
 *
 * Pass every item of `followRun`, starting with the first. After `restart`, the turn is empty again except for its
 * task. Nodes of a graph run are not part of a turn.
 */
export function foldRun({ retry: _retry, ...turn }: Turn, item: FollowedRunEvent): Turn {
  switch (item.event) {
    case 'restart':
      return { ...newTurn(turn), conversationId: turn.conversationId, createdAt: turn.createdAt }
    case 'start':
      return addStart(turn, item.data)
    case 'retry':
      return { ...turn, retry: item.data }
    case 'assistant':
      return proceed({ ...turn, parts: addText(turn.parts, 'text', item.data.delta) })
    case 'reasoning':
      return proceed({ ...turn, parts: addText(turn.parts, 'reasoning', item.data.delta) })
    case 'file':
      return proceed({ ...turn, parts: [...turn.parts, { kind: 'file', file: item.data }] })
    case 'source':
      return { ...turn, sources: [...turn.sources, item.data] }
    case 'tool_start':
      return proceed({ ...turn, parts: addCall(turn.parts, item.data) }, item.data.name)
    case 'tool_progress':
      return { ...turn, parts: addProgress(turn.parts, item.data) }
    case 'tool_call':
      return proceed({ ...turn, parts: endCall(turn.parts, item.data) }, item.data.name)
    case 'approval':
      return { ...turn, status: 'waiting', parts: addApproval(turn, item.data) }
    case 'wait':
      // An approval also has an event of its own.
      return item.data.wait.kind === 'approval' ? turn : { ...turn, status: 'waiting' }
    case 'usage':
      return { ...turn, usage: item.data }
    case 'done':
      return endTurn(turn, item.data)
    case 'error': {
      const status = item.data.code === 'cancelled' ? 'cancelled' : 'failed'
      return { ...turn, status, parts: closeApprovals(turn.parts), failure: item.data }
    }
    case 'connection':
    case 'node_start':
    case 'node_done':
    case 'data':
    case 'message':
    case 'wait_settled':
    default:
      return turn
  }
}

function addStart(turn: Turn, data: DataOf<'start'>): Turn {
  const { run_id: runId } = data
  if (!('model' in data)) return { ...turn, id: runId, runId }
  return { ...turn, id: runId, runId, model: data.model, conversationId: data.conversation_id }
}

/**
 * A run that waited continues once every approval is decided: then text follows, or one of the calls that waited. Other
 * calls of the same turn may start and end meanwhile. A call of another run that waited is over when no call is running.
 */
function proceed(turn: Turn, tool?: string): Turn {
  if (turn.status !== 'waiting') return turn
  const open = waitingApprovals(turn)
  const isRunning = turn.parts.some((part) => part.kind === 'tool' && part.state === 'running')
  const isDecided =
    tool === undefined ||
    open.some((each) => each.tool === tool) ||
    (!isRunning && open.every((each) => each.runId !== turn.runId))
  return isDecided ? { ...turn, status: 'running', parts: closeApprovals(turn.parts) } : turn
}

function addText(parts: readonly TurnPart[], kind: 'text' | 'reasoning', delta: string): readonly TurnPart[] {
  const last = parts.at(-1)
  if (last?.kind !== kind) return [...parts, { kind, text: delta }]
  return [...parts.slice(0, -1), { kind, text: last.text + delta }]
}

function addCall(parts: readonly TurnPart[], { id, name, args }: DataOf<'tool_start'>): readonly TurnPart[] {
  return [...parts, { kind: 'tool', callId: id, name, args, state: 'running' }]
}

function addProgress(parts: readonly TurnPart[], { id, text }: DataOf<'tool_progress'>): readonly TurnPart[] {
  const index = runningCall(parts, id)
  const part = parts[index]
  return part?.kind === 'tool' ? parts.with(index, { ...part, progress: text }) : parts
}

/** Some providers use the ids of calls again in the next turn of the model: the newest running call is meant. */
const runningCall = (parts: readonly TurnPart[], id: string) =>
  parts.findLastIndex((part) => part.kind === 'tool' && part.callId === id && part.state === 'running')

type CallOutcome = Pick<DataOf<'tool_call'>, 'id' | 'name' | 'result' | 'error'>

/** Parts with the outcome of a call. A call that was denied was never announced. */
export function endCall(
  parts: readonly TurnPart[],
  { id, name, result, error }: CallOutcome,
): readonly TurnPart[] {
  const index = runningCall(parts, id)
  const known = parts[index]
  const call = known?.kind === 'tool' ? known : { kind: 'tool' as const, callId: id, name, args: null }
  const state = error === undefined ? 'done' : 'failed'
  const ended: ToolPart = { ...call, state, progress: undefined, result, error }
  return known === undefined ? [...parts, ended] : parts.with(index, ended)
}

function addApproval({ id: turnId, runId, parts }: Turn, data: DataOf<'approval'>): readonly TurnPart[] {
  const { id, tool, args, run_id: other } = data
  if (parts.some((part) => part.kind === 'approval' && part.id === id)) return parts
  return [...parts, { kind: 'approval', id, runId: other ?? runId ?? turnId, tool, args, isOpen: true }]
}

function endTurn(turn: Turn, data: DataOf<'done'>): Turn {
  const parts = closeApprovals(addFinalText(turn.parts, data.finalContent))
  const ended: Turn = { ...turn, status: 'completed', parts }
  if (!('turnCount' in data)) return ended
  const { stop_reason: stopReason, usage, model, warnings = [] } = data
  const status = stopReason === 'cancelled' ? 'cancelled' : 'completed'
  return { ...ended, stopReason, usage, model, warnings, status }
}

/** `done` holds the whole answer, which is used if no delta of it arrived. */
function addFinalText(parts: readonly TurnPart[], text: string): readonly TurnPart[] {
  const last = parts.findLast(({ kind }) => kind === 'text' || kind === 'tool')
  return text === '' || last?.kind === 'text' ? parts : [...parts, { kind: 'text', text }]
}
