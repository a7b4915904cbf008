import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import { cut, isSmallJson } from '../../json/to-json.ts'
import type { ToolCallPart, ToolResult } from '../../ports/message.ts'
import { withoutNamedSecrets } from '../../secrets/redact.ts'
import type { RunState } from '../loop/run.ts'
import { uncertainCall } from './effect-ledger.ts'

const maxJournalChars = 4000

/** Counts a call and tells that it begins: once for each, also when it is made again after a crash. */
export function announceCall(run: RunState, call: ToolCallPart): void {
  if (!run.writer.isNew(call.id)) return
  const name = cut(call.name, 200)
  run.progressed({ toolCalls: run.progress.toolCalls + 1 })
  const args = run.redact.json(call.args)
  run.log.push({ event: 'tool_start', data: { id: call.id, name, args } })
  run.writer.note('tool.called', {
    agent_id: run.row.agentId,
    tool: name,
    call_id: call.id,
    args: journalArgs(args),
    ...effectsOf(run, call.name),
  })
}

/** What a call would do to the world, and whether the run has read what a stranger may have made, for the journal. */
export function effectsOf({ tools, progress: { tainted } }: RunState, name: string): JsonObject {
  const tool = tools.byId.get(name)
  return { ...(tool && { effects: tool.effects }), ...(tainted && { tainted }) }
}

/** Tells that a call was not made, or not known to be. @returns its result. */
export function failCall(run: RunState, call: ToolCallPart, problem: string, denied?: true): ToolResult {
  const error = run.redact.text(problem)
  const result = { id: call.id, name: cut(call.name, 200), error, ...(denied && { denied }) }
  finishCall(run, result, 0)
  return result
}

/** Tells how a call ended. */
export function finishCall(run: RunState, result: ToolResult, durationMs: number): void {
  const { files: _, edited_args: __, undo: ___, sources = [], ...shown } = result
  const { writer } = run
  run.log.push({ event: 'tool_call', data: shown })
  for (const data of sources) run.log.push({ event: 'source', data })
  const finishedAt = writer.now()
  const startedAt =
    durationMs === 0 ? finishedAt : new Date(Date.parse(finishedAt) - durationMs).toISOString()
  writer.addSpan({ kind: 'tool', at: writer.messages.length, callId: result.id, startedAt, finishedAt })
  const data = {
    agent_id: run.row.agentId,
    tool: result.name,
    call_id: result.id,
    ok: result.error === undefined,
    duration_ms: durationMs,
    ...(result.error !== undefined && { error: cut(result.error, 500) }),
  }
  writer.note('tool.completed', data, finishedAt)
}

/** Arguments for the journal: without named secrets, and not too long. */
export function journalArgs(args: Json): Json {
  const clean = withoutNamedSecrets(args)
  if (isSmallJson(clean, maxJournalChars)) return clean
  return `${cut(JSON.stringify(clean), maxJournalChars)}…`
}

const uncheckedResult =
  'The call was made, but its result is withheld: the run ended before the result was checked'

/**
 * Answers calls that are not made with an error, so that none stays without a result. Of those that were begun before the
 * run was taken up the ledger says more.
 */
export function refuseCalls(run: RunState, calls: readonly ToolCallPart[], reason: string): void {
  const results = calls.map((call) => {
    const known = run.writer.findEffect(call.id)
    if (known?.outcome) {
      const { result, untrusted, isUnchecked } = known.outcome
      if (untrusted) run.taint()
      if (isUnchecked) return failCall(run, call, uncheckedResult)
      finishCall(run, result, 0)
      return result
    }
    announceCall(run, call)
    return failCall(run, call, known ? uncertainCall : reason)
  })
  run.addResults(calls, results)
}
