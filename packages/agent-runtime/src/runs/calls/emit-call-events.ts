import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import type { ToolCallPart, ToolResult } from '../../ports/message.ts'
import { countCall, type AgentRunState } from '../active-run.ts'
import { withoutNamedSecrets } from '../../secrets/redact.ts'
import { addToolSpan } from '../trace/tool-spans.ts'
import { cut, isSmallJson } from '../../json/to-json.ts'

const maxJournalChars = 4000

/** Counts a call and tells that it begins: once for each, also when it is made again after a crash. */
export function announceCall(run: AgentRunState, call: ToolCallPart): void {
  if (!run.writer.isNew(call.id)) return
  const name = cut(call.name, 200)
  countCall(run)
  const args = run.redact.json(call.args)
  run.log.push({ event: 'tool_start', data: { id: call.id, name, args } })
  run.writer.note('tool.called', {
    agent_id: run.run.agentId,
    tool: name,
    call_id: call.id,
    args: journalArgs(args),
    ...effectsOf(run, call.name),
  })
}

/** What a call would do to the world, and whether the run has read what a stranger may have made, for the journal. */
export function effectsOf({ tools, tainted }: AgentRunState, name: string): JsonObject {
  const tool = tools.byId.get(name)
  return { ...(tool && { effects: tool.effects }), ...(tainted && { tainted }) }
}

/** Tells that a call was not made, or not known to be. @returns its result. */
export function failCall(run: AgentRunState, call: ToolCallPart, problem: string): ToolResult {
  const result = { id: call.id, name: cut(call.name, 200), error: run.redact.text(problem) }
  finishCall(run, result, 0)
  return result
}

/** Tells how a call ended. */
export function finishCall(run: AgentRunState, result: ToolResult, durationMs: number): void {
  const { files: _, edited_args: __, ...shown } = result
  run.log.push({ event: 'tool_call', data: shown })
  addToolSpan(run, result.id, durationMs)
  run.writer.note('tool.completed', {
    agent_id: run.run.agentId,
    tool: result.name,
    call_id: result.id,
    ok: result.error === undefined,
    duration_ms: durationMs,
    ...(result.error !== undefined && { error: cut(result.error, 500) }),
  })
}

/** Arguments for the journal: without named secrets, and not too long. */
export function journalArgs(args: Json): Json {
  const clean = withoutNamedSecrets(args)
  if (isSmallJson(clean, maxJournalChars)) return clean
  return `${cut(JSON.stringify(clean), maxJournalChars)}…`
}
