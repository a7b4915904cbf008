import type { Message } from '../agent-platform/conversation.ts'
import type { Approval, Run } from '../agent-platform/run.ts'
import { endCall } from './fold-run.ts'
import { newTurn, type Turn, type TurnPart } from './turn.ts'

/**
 * Builds the turns of a conversation from its stored messages, oldest first.
 *
 * They have the format of `foldRun`, without approvals and reasoning.
 *
 * @param runs known runs of the conversation. They add status, usage, failures, exact tool results, and decisions.
 */
export function storedTurns(messages: readonly Message[], runs: readonly Run[] = []): Turn[] {
  const byId = new Map(runs.map((run) => [run.id, run]))
  const turns: Turn[] = []
  for (const message of messages) {
    const at = message.role === 'user' ? -1 : turns.findLastIndex((turn) => isOf(message, turn))
    const place = at >= 0 && (message.run_id !== undefined || at === turns.length - 1) ? at : turns.length
    const turn = turns[place] ?? firstTurn(message)
    turns[place] = message.role === 'user' ? turn : addMessage(turn, message)
  }
  return turns.map((turn) => addRun(turn, byId.get(turn.runId ?? '')))
}

/** Others may have been asked between the question of a run and its answer. */
const isOf = ({ run_id: runId }: Message, turn: Turn) => turn.runId === runId

function firstTurn({ id, run_id: runId, created_at: createdAt, role, content, files }: Message): Turn {
  const asked = role === 'user' ? { task: content, files } : {}
  return { ...newTurn({ id: runId ?? id, runId, ...asked }), createdAt, status: 'completed' }
}

function addMessage(turn: Turn, message: Message): Turn {
  const { role, content, files = [], tool_calls: calls = [], sources = [] } = message
  if (role === 'tool') {
    const { tool_call_id: id = '', tool_name: name = '' } = message
    return { ...turn, parts: endCall(turn.parts, { id, name, result: content }) }
  }
  const added: readonly TurnPart[] = [
    ...(content === '' ? [] : [{ kind: 'text' as const, text: content }]),
    ...files.map((file) => ({ kind: 'file' as const, file })),
    ...calls.map(({ id, name, args }) => {
      return { kind: 'tool' as const, callId: id, name, args, state: 'running' as const }
    }),
  ]
  return { ...turn, parts: [...turn.parts, ...added], sources: [...turn.sources, ...sources] }
}

function addRun(turn: Turn, run: Run | undefined): Turn {
  if (run === undefined) return turn
  const { result, status } = run
  if (result === undefined || !('steps' in result)) return { ...turn, status }
  const { error, code = 'run_error', stop_reason: stopReason, usage, model, steps, warnings = [] } = result
  const parts = addDecisions(addOutcomes(turn.parts, steps), run.approvals)
  const failure = error === undefined ? undefined : { message: error, code }
  return { ...turn, status, parts, stopReason, usage, model, warnings, failure }
}

type Steps = Extract<NonNullable<Run['result']>, { readonly steps: unknown }>['steps']

/** Messages hold the text that the model read of an outcome. The run knows its value, and whether it was an error. */
function addOutcomes(parts: readonly TurnPart[], steps: Steps): readonly TurnPart[] {
  let next = 0
  return parts.map((part) => {
    if (part.kind !== 'tool' || part.state === 'running') return part
    const step = steps[next]
    if (step?.tool !== part.name) return part
    next += 1
    const state = step.error === undefined ? 'done' : 'failed'
    return { ...part, state, result: step.result, error: step.error }
  })
}

/** An approval does not name its call: it belongs to the next call of the same tool with the same arguments. */
function addDecisions(parts: readonly TurnPart[], approvals: readonly Approval[]): readonly TurnPart[] {
  const open = [...approvals]
  return parts.map((part) => {
    if (part.kind !== 'tool') return part
    const args = JSON.stringify(part.args)
    const isOf = ({ tool, args: asked, edited_args: edited }: Approval) =>
      tool === part.name && [asked, edited].some((each) => JSON.stringify(each) === args)
    const index = open.findIndex(isOf)
    const [decision] = index < 0 ? [] : open.splice(index, 1)
    return decision ? { ...part, decision } : part
  })
}
