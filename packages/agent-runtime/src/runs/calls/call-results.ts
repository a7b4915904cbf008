import type { ToolCallPart } from '../../ports/message.ts'
import { addResults, taint, type AgentRunState } from '../active-run.ts'
import { uncertainCall } from './effect-ledger.ts'
import { announceCall, failCall, finishCall } from './emit-call-events.ts'

const uncheckedResult =
  'The call was made, but its result is withheld: the run ended before the result was checked'

/**
 * Answers calls that are not made with an error, so that none stays without a result. Of those that were begun before the
 * run was taken up the ledger says more.
 */
export function refuseCalls(run: AgentRunState, calls: readonly ToolCallPart[], reason: string): void {
  const results = calls.map((call) => {
    const known = run.writer.findEffect(call.id)
    if (known?.outcome) {
      const { result, untrusted, isUnchecked } = known.outcome
      if (untrusted) taint(run)
      if (isUnchecked) return failCall(run, call, uncheckedResult)
      finishCall(run, result, 0)
      return result
    }
    announceCall(run, call)
    return failCall(run, call, known ? uncertainCall : reason)
  })
  addResults(run, calls, results)
}
