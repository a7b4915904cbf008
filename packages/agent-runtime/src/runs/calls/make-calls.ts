import type { ToolResult } from '../../ports/message.ts'
import type { EffectOutcome } from '../../store/ports/effect.ts'
import { WaitingAgent } from '../../ports/waiting-agent.ts'
import { taint, type ActiveRun } from '../active-run.ts'
import { isGivenUp } from '../run-interrupts.ts'
import { guardResult } from '../guards/guard-result.ts'
import { isUntrusted } from './is-untrusted.ts'
import type { CallPlan, PlannedCall } from './plan-calls.ts'
import type { SuspendedCall } from './run-calls.ts'
import { runToolCall } from './run-tool-call.ts'
import type { RunsContext } from '../runs-options.ts'
import { createProgressReports } from './tell-progress.ts'
import { finishCall } from './emit-call-events.ts'

/** How a call that was made ended here. `open`: the run was aborted, and nothing is known of it. */
export type CallEnd =
  | { readonly result: ToolResult }
  | { readonly suspended: SuspendedCall }
  | { readonly open: true }

/**
 * Begins calls, all at once. Of several, each outcome is written down as it comes, but for the
 * last one, which the next step holds. They reject with a `LostRun` when the run is not this process's any more.
 *
 * @throws {unknown} the signal's reason, before any call, when the run was given up.
 */
export function beginCalls(
  context: RunsContext,
  run: ActiveRun,
  calls: CallPlan['made'],
): readonly Promise<CallEnd>[] {
  if (run.signal.aborted && isGivenUp(run.signal.reason)) throw run.signal.reason
  // The taint at the turn's start counts: the model asked for all of these before it read any of their results.
  const turn = { tainted: run.tainted, open: calls.length }
  return calls.map(({ call }) => makeCall(context, run, call, turn))
}

/** Of a run that was aborted and ends here, its end holds the outcome. */
async function keepOutcome({ signal, writer, own }: ActiveRun, outcome: EffectOutcome): Promise<void> {
  if (signal.aborted && !isGivenUp(signal.reason)) return
  try {
    await writer.keepOutcome(outcome)
  } catch (error) {
    own.controller.abort(error) // the other calls of the turn have to stop too
    throw error
  }
}

/** `turn.open`: calls of the turn that have not ended yet. */
async function makeCall(
  context: RunsContext,
  run: ActiveRun,
  planned: PlannedCall,
  turn: { readonly tainted: boolean; open: number },
): Promise<CallEnd> {
  const { checked, key, editedArgs } = planned
  const { call, tool } = checked
  const startedAtMs = context.now()
  const progress = createProgressReports(run, call, context.now)
  const workspace = await run.workspace()
  // of a run that was aborted meanwhile it is the abort that the call ends with
  const made =
    workspace === undefined && !run.signal.aborted
      ? { id: call.id, name: tool.id, error: "Opening the agent's workspace failed" }
      : await runToolCall(
          checked,
          { ...toToolContext(run, key, turn.tainted, workspace ?? ''), progress: progress.report },
          run,
          context,
        )
  progress.end()
  if (made instanceof WaitingAgent) {
    turn.open -= 1
    return { suspended: { call: planned, runId: made.runId, approvals: made.approvals } }
  }
  if (made === undefined) {
    turn.open -= 1
    return { open: true }
  }
  const whole = editedArgs ? { ...made, edited_args: editedArgs } : made
  const untrusted = isUntrusted(tool, whole)
  if (untrusted) taint(run)
  const isChecked = context.guards.toolResult !== undefined
  // after a crash during the check it has to be known that the call was made
  if (isChecked && tool.repeat === 'once')
    await keepOutcome(run, { key, result: whole, untrusted, isUnchecked: true })
  const end = await guardResult(context, run, { key, args: checked.args, result: whole })
  turn.open -= 1
  if (end === undefined) return { open: true }
  finishCall(run, end, Math.max(0, context.now() - startedAtMs))
  // of a run that is given back, what is done has to be known
  if (turn.open > 0 || run.signal.aborted) await keepOutcome(run, { key, result: end, untrusted })
  return { result: end }
}

function toToolContext(run: ActiveRun, idempotencyKey: string, tainted: boolean, workspace: string) {
  return { ...run.runContext, idempotencyKey, workspace, tainted, depth: run.run.depth }
}
