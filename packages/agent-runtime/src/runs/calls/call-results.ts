import type { ToolCallPart, ToolResult } from '../../ports/message.ts'
import { addMessage, type RunRecord } from '../active-run.ts'
import { uncertainCall } from './effect-ledger.ts'
import type { RunsContext } from '../runs-options.ts'
import { announceCall, failCall, finishCall } from './tell-calls.ts'
import { toPromptMessage } from '../turns/to-prompt.ts'

/**
 * Answers calls that are not made with an error, so that none stays without a result. Of those that were begun before the
 * run was taken up the ledger says more.
 */
export function refuseCalls(
  context: RunsContext,
  run: RunRecord,
  calls: readonly ToolCallPart[],
  reason: string,
): void {
  addResults(
    run,
    calls,
    calls.map((call) => {
      const known = run.ledger.find(({ callId }) => callId === call.id)
      if (known?.outcome) {
        const { result, untrusted } = known.outcome
        if (untrusted) run.tainted = true
        finishCall(context, run, result, 0)
        return result
      }
      announceCall(context, run, call)
      return failCall(context, run, call, known ? uncertainCall : reason)
    }),
  )
}

/** Adds the results of calls to the run: for its steps, its messages, and what the model reads next. */
export function addResults(
  run: RunRecord,
  calls: readonly ToolCallPart[],
  results: readonly ToolResult[],
): void {
  run.ledger = []
  if (results.length === 0) return
  for (const result of results) {
    const args = run.redact.json(calls.find(({ id }) => id === result.id)?.args ?? {})
    const { name: tool, error } = result
    // without spreads: V8 gives what comes behind one a list of its own
    run.steps.push(
      error === undefined ? { tool, args, result: result.result ?? null } : { tool, args, error },
    )
  }
  // as long as it is, as the parts of answers
  const message = { role: 'tool', results: results.slice() } as const
  addMessage(run, message, toPromptMessage(message, run.tools.wireName))
}
