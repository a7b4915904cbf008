import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import type { ToolCallPart, ToolResult } from '../../ports/message.ts'
import { note, type RunRecord } from '../active-run.ts'
import { withoutNamedSecrets } from '../../secrets/redact.ts'
import type { RunsContext } from '../runs-options.ts'
import { cut, isSmallJson } from '../../json/to-json.ts'

const maxJournalChars = 4000

/** Counts a call and tells that it begins: once for each, also when it is made again after a crash. */
export function announceCall(context: RunsContext, run: RunRecord, call: ToolCallPart): void {
  if (run.told.includes(call.id)) return
  run.told.push(call.id)
  const name = cut(call.name, 200)
  run.toolCalls += 1
  const args = run.redact.json(call.args)
  run.log.push({ event: 'tool_start', data: { id: call.id, name, args } })
  note(run, 'tool.called', context.timestamp(), {
    agent_id: run.run.agentId,
    tool: name,
    call_id: call.id,
    args: journalArgs(args),
  })
}

/** Tells that a call was not made, or not known to be. @returns its result. */
export function failCall(
  context: RunsContext,
  run: RunRecord,
  call: ToolCallPart,
  problem: string,
): ToolResult {
  const result = { id: call.id, name: cut(call.name, 200), error: run.redact.text(problem) }
  finishCall(context, run, result, 0)
  return result
}

/** Tells how a call ended. */
export function finishCall(
  context: RunsContext,
  run: RunRecord,
  result: ToolResult,
  durationMs: number,
): void {
  run.log.push({ event: 'tool_call', data: result })
  // without spreads, as everything that each turn makes: they cost more than all the rest of it
  const data: JsonObject = {
    agent_id: run.run.agentId,
    tool: result.name,
    call_id: result.id,
    ok: result.error === undefined,
    duration_ms: durationMs,
  }
  if (result.error !== undefined) data['error'] = cut(result.error, 500)
  note(run, 'tool.completed', context.timestamp(), data)
}

function journalArgs(args: Json): Json {
  const clean = withoutNamedSecrets(args)
  if (isSmallJson(clean, maxJournalChars)) return clean
  return `${cut(JSON.stringify(clean), maxJournalChars)}…`
}
