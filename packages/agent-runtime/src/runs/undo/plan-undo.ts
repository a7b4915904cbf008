import type { ModelMessage, ToolCallPart, ToolResult } from '../../ports/message.ts'
import { cut } from '../../json/to-json.ts'
import type { Redactor } from '../../secrets/redact.ts'
import { decisionOf } from '../../store/ports/wait.ts'
import type { PlannedUndo } from '../../store/ports/new-run.ts'
import type { RunTools } from '../loop/prompt.ts'
import type { RunView } from '../trace/run-view.ts'
import { toPlacedSteps } from '../trace/to-steps.ts'

const maxReasonChars = 500

/**
 * The calls of a run that changed something, or may have, the newest first. Calls that only read are left out, and so are those
 * that were never made: a person denied or answered them, or another run had made them.
 */
export function planUndo(view: RunView, tools: RunTools['byId'], redact: Redactor): PlannedUndo[] {
  const answered = new Set(
    view.waits.flatMap((wait) => (decisionOf(wait)?.decision === 'respond' ? [wait.callId] : [])),
  )
  return toPlacedSteps(view, redact)
    .flatMap(({ place, reused }, step): PlannedUndo[] => {
      if (place.call === undefined || reused) return []
      const at = { message: place.messages - 1, call: place.call }
      const { call, result } = findMadeCall(view.messages, at)
      if (!call || !result || result.denied || call.refused !== undefined) return []
      const tool = tools.get(call.name)
      if (tool?.effects === 'read' || (answered.has(call.id) && !result.undo)) return []
      const reason = whyNot(result, tool)
      return [{ step, tool: call.name, ...at, ...(reason !== undefined && { reason }) }]
    })
    .toReversed()
}

/** A call of a run, by its place, and how it ended. */
export function findMadeCall(
  messages: readonly ModelMessage[],
  { message, call: place }: Pick<PlannedUndo, 'message' | 'call'>,
): { readonly call?: ToolCallPart | undefined; readonly result?: ToolResult | undefined } {
  const answer = messages[message]
  if (answer?.role !== 'assistant') return {}
  const call = answer.parts.filter((part) => part.type === 'tool_call')[place]
  for (const later of messages.slice(message + 1)) {
    if (later.role === 'assistant') break
    const result = later.role === 'tool' && later.results.find(({ id }) => id === call?.id)
    if (result) return { call, result }
  }
  return { call }
}

type Undoable = Pick<NonNullable<ReturnType<RunTools['byId']['get']>>, 'id' | 'undo'>

function whyNot({ error, undo }: ToolResult, tool: Undoable | undefined): string | undefined {
  if (error !== undefined) return `The call has no result: ${cut(error, maxReasonChars)}`
  if (!tool) return 'The agent no longer has this tool.'
  if (tool.id === 'run_agent') return 'Another agent ran. Undo its run.'
  if (!tool.undo) return 'The tool has no undo.'
  return undo ? undefined : 'The tool had no undo when the call was made.'
}
