import type { ToolResult } from '../../ports/message.ts'
import type { EffectOutcome } from '../../store/ports/effect.ts'
import { WaitingAgent } from '../../ports/waiting-agent.ts'
import type { ActiveRun } from '../active-run.ts'
import { isGivenUp, LostRun } from '../given-up.ts'
import { isUntrusted } from './is-untrusted.ts'
import { mapPacked } from '../turns/map-packed.ts'
import type { CallPlan, PlannedCall } from './plan-calls.ts'
import type { SuspendedCall } from './run-calls.ts'
import { runToolCall } from './run-tool-call.ts'
import type { RunsContext } from '../runs-options.ts'
import { saveNow } from '../persistence/save-step.ts'
import { finishCall } from './tell-calls.ts'
import { untilAbort } from '../../concurrency/until-abort.ts'

/** How a call that was made ended here. `open`: the run was aborted, and nothing is known of it. */
export type CallEnd =
  | { readonly result: ToolResult }
  | { readonly suspended: SuspendedCall }
  | { readonly open: true }

/**
 * Begins calls, all at once. Of several, each outcome is written down as it comes, but for the
 * last one, which the next step holds. They reject with a {@link LostRun} when the run is not this process's any more.
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
  return mapPacked(calls, ({ call }) => makeCall(context, run, call, turn))
}

async function keepOutcome(context: RunsContext, run: ActiveRun, outcome: EffectOutcome) {
  const { store, leases, logger } = context
  const { signal } = run
  if (signal.aborted && !isGivenUp(signal.reason)) return // the end of the run holds it
  await saveNow(context, run) // the entry that the outcome belongs to
  try {
    if (await store.saveEffect({ runId: run.run.id, owner: leases.owner, outcome })) return
  } catch (error) {
    // The next step holds it too, or says that nothing can be kept.
    logger.warn('How a tool call ended could not be kept at once', {
      runId: run.run.id,
      error: String(error),
    })
    return
  }
  const lost = new LostRun('The run is not this process’s any more')
  run.own.controller.abort(lost) // the other calls of the turn have to stop too
  throw lost
}

/** `turn.open`: calls of the turn that have not ended yet. */
async function makeCall(
  context: RunsContext,
  run: ActiveRun,
  planned: PlannedCall,
  turn: { readonly tainted: boolean; open: number },
): Promise<CallEnd> {
  const { checked, key } = planned
  const { call, tool } = checked
  const startedAtMs = context.now()
  const workspace = run.workspace ?? (await openWorkspace(context, run))
  // of a run that was aborted meanwhile it is the abort that the call ends with
  const end =
    workspace === undefined && !run.signal.aborted
      ? { id: call.id, name: tool.id, error: "The agent's workspace cannot be used" }
      : await runToolCall(checked, toToolContext(run, key, turn.tainted, workspace ?? ''), run, context)
  turn.open -= 1
  if (end instanceof WaitingAgent) {
    return { suspended: { call: planned, runId: end.runId, approvals: end.approvals } }
  }
  if (end === undefined) return { open: true }
  const untrusted = isUntrusted(tool, end)
  if (untrusted) run.tainted = true
  finishCall(context, run, end, Math.max(0, context.now() - startedAtMs))
  // of a run that is given back, what is done has to be known
  if (turn.open > 0 || run.signal.aborted) await keepOutcome(context, run, { key, result: end, untrusted })
  return { result: end }
}

/** Made sure of by the first calls of a run; undefined when it cannot be had. */
async function openWorkspace(context: RunsContext, run: ActiveRun): Promise<string | undefined> {
  try {
    const opened = await untilAbort(context.workspace(run.run.agentId), run.abort)
    return (run.workspace ??= opened)
  } catch (error) {
    if (run.signal.aborted) return undefined
    context.logger.error('The workspace of an agent cannot be used', {
      agentId: run.run.agentId,
      error: String(error),
    })
    return undefined
  }
}

function toToolContext(run: ActiveRun, idempotencyKey: string, tainted: boolean, workspace: string) {
  const { id, agentId, conversationId, userId, depth } = run.run
  const context = { agentId, runId: id, conversationId, idempotencyKey, workspace, tainted, depth }
  return userId === undefined ? context : { ...context, userId }
}
