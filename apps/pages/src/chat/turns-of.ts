import type { Approval, Message, Run, Source } from '@homeward/contract/agent-platform'
import type { ChatFile } from './files/chat-file.ts'
import type { Turn, TurnPart } from './turn.ts'

/**
 * The turns of a conversation from its messages, oldest first, with what is known of their runs. A turn whose begin is on
 * an older page has no task.
 */
export function turnsOf(messages: readonly Message[], runs: readonly Run[] = []): Turn[] {
  const byId = new Map(runs.map((run) => [run.id, run]))
  const turns: {
    id: string
    runId?: string | undefined
    task?: string
    files?: readonly ChatFile[]
    createdAt: string
    parts: TurnPart[]
    sources?: readonly Source[]
  }[] = []
  for (const message of messages) {
    const last = turns.at(-1)
    const isSame = last !== undefined && last.runId === message.run_id && message.role !== 'user'
    const turn = isSame
      ? last
      : {
          id: message.run_id ?? message.id,
          runId: message.run_id,
          createdAt: message.created_at,
          parts: [] as TurnPart[],
        }
    if (!isSame) turns.push(turn)
    if (message.role === 'user') Object.assign(turn, { task: message.content, files: message.files })
    else addMessage(turn.parts, message)
    if (message.sources) turn.sources = [...(turn.sources ?? []), ...message.sources]
  }
  return turns.map((turn) => withRun(turn, byId.get(turn.runId ?? '')))
}

function addMessage(parts: TurnPart[], message: Message): void {
  if (message.role === 'tool') return endCall(parts, message)
  if (message.content !== '') parts.push({ kind: 'text', text: message.content })
  for (const file of message.files ?? []) parts.push({ kind: 'file', file })
  for (const { id, name, args } of message.tool_calls ?? []) {
    parts.push({ kind: 'tool', callId: id, name, args, isDone: false })
  }
}

function endCall(parts: TurnPart[], { tool_call_id: id, tool_name: name = '', content }: Message): void {
  const index = parts.findLastIndex((part) => part.kind === 'tool' && part.callId === id && !part.isDone)
  const open = parts[index]
  if (open?.kind === 'tool') parts[index] = { ...open, isDone: true, result: content }
  else parts.push({ kind: 'tool', callId: id ?? '', name, args: null, isDone: true, result: content })
}

function withRun(
  turn: Pick<Turn, 'id' | 'runId' | 'task' | 'files' | 'createdAt' | 'parts' | 'sources'>,
  run: Run | undefined,
): Turn {
  const { result } = run ?? {}
  const kept: Turn = { ...turn, status: run?.status ?? 'completed' }
  if (run === undefined || result === undefined || !('stop_reason' in result)) return kept
  const { error, code = 'run_error', stop_reason: stopReason, usage, model, steps, warnings } = result
  return {
    ...kept,
    parts: withDecisions(withOutcomes(kept.parts, steps), run.approvals),
    stopReason,
    usage,
    model,
    warnings,
    ...(error !== undefined && { failure: { message: error, code } }),
  }
}

type Steps = Extract<NonNullable<Run['result']>, { readonly steps: unknown }>['steps']

/** Messages hold what the model read of an outcome; the run knows whether it was an error, and the value itself. */
function withOutcomes(parts: readonly TurnPart[], steps: Steps): readonly TurnPart[] {
  let next = 0
  return parts.map((part) => {
    if (part.kind !== 'tool' || !part.isDone) return part
    const step = steps[next]
    if (step?.tool !== part.name) return part
    next += 1
    return { ...part, result: step.result, error: step.error }
  })
}

/** An approval does not name its call: it is the next one of the same tool with the same arguments. */
function withDecisions(parts: readonly TurnPart[], approvals: readonly Approval[]): readonly TurnPart[] {
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
