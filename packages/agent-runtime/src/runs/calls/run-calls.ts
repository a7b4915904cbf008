import type { Approval } from '@homeward/contract/agent-platform'
import type { ToolCallPart } from '../../ports/message.ts'
import type { Tool } from '../../ports/tool.ts'
import type { ActiveRun } from '../active-run.ts'
import { addResults } from './call-results.ts'
import type { ArgumentChecks } from './check-arguments.ts'
import { effectUncertain, toIntent, uncertainCall } from './effect-ledger.ts'
import { runGoesOn } from '../given-up.ts'
import { beginCalls, type CallEnd } from './make-calls.ts'
import { planCalls, type CallPlan, type KnownCalls, type PlannedCall } from './plan-calls.ts'
import type { RunsContext } from '../runs-options.ts'
import { saveStep, saveStepSoon } from '../persistence/save-step.ts'
import { announceCall, failCall, finishCall } from './tell-calls.ts'

/** A call whose agent waits for a person: it is made again when that run has ended. */
export interface SuspendedCall {
  readonly call: PlannedCall
  /** Run that is waited for. */
  readonly runId: string
  readonly approvals: readonly Approval[]
}

/** What is still open behind a turn's calls. */
export interface OpenCalls {
  /** They need a person's yes (A20). */
  readonly waiting: readonly ToolCallPart[]
  readonly suspended: readonly SuspendedCall[]
}

/**
 * Makes the calls of a turn, all at once, and adds their results to the run. Before any of them begins that does more
 * than read, all that will be made stand in the ledger, in one write with the model's answer (A8). Calls that need a
 * person's yes are left out.
 *
 * What goes wrong with a call, an abort too, becomes its result.
 *
 * @throws {RuntimeError} `effect_uncertain`; {@link LostRun}; what the store fails with.
 */
export async function runCalls(
  context: RunsContext,
  checks: ArgumentChecks,
  run: ActiveRun,
  calls: readonly ToolCallPart[],
  before?: KnownCalls,
): Promise<OpenCalls> {
  const planned = planCalls(context, checks, run, calls, before)
  const plan = planned instanceof Promise ? await planned : planned
  const { results, made, waiting, known } = plan
  if (plan.uncertain.length > 0) throw giveUp(context, run, calls, plan)
  if (made.length > 0 && run.own.isLeaving) throw runGoesOn()
  let suspended: SuspendedCall[] = []
  // From here on a shutdown leaves the calls some time: one that stands in the ledger but never began would be uncertain.
  run.own.inCalls = made.length > 0
  try {
    const announced = announce(context, run, plan)
    if (announced) await announced
    tellOthers(context, run, calls, plan)
    if (made.length > 0) {
      // After a pause of this process another one may have the run: it is asked before anything is done twice.
      if (!context.leases.isFresh()) await context.leases.renew()
      const begun = beginCalls(context, run, made)
      const [only] = begun
      // most turns have one call: two promises less
      const ends = begun.length === 1 && only ? [await only] : await Promise.all(begun)
      suspended = takeEnds(run, plan, ends)
    }
  } finally {
    run.own.inCalls = false
  }
  run.intents = undefined
  for (const { outcome } of known) if (outcome.untrusted) run.tainted = true
  addResults(
    run,
    calls,
    results.filter((result) => result !== undefined),
  )
  return { waiting, suspended }
}

/** Takes the results of calls that have ended. @returns those that wait. */
function takeEnds(run: ActiveRun, { made, results }: CallPlan, ends: readonly CallEnd[]): SuspendedCall[] {
  const suspended: SuspendedCall[] = []
  ends.forEach((end, index) => {
    if ('result' in end) results[made[index]?.place ?? 0] = end.result
    else if ('suspended' in end) suspended.push(end.suspended)
    else throw run.signal.aborted ? run.signal.reason : runGoesOn()
  })
  return suspended
}

/**
 * Writes down what is about to be made, with the model's answer; what the ledger knew stays there. Calls that only read
 * begin while it is being written: after a crash there is nothing of theirs to be done twice.
 *
 * @returns what the calls have to wait for.
 */
function announce(
  context: RunsContext,
  run: ActiveRun,
  { made, known }: CallPlan,
): Promise<void> | undefined {
  if (made.every(({ call }) => call.isRepeat)) return undefined
  for (const { call } of made) announceCall(context, run, call.checked.call)
  // By way of a name: V8 makes a function that is written straight into a property one of the old generation, and it
  // would hold the calls of its turn until the next full collection.
  const intents = () => [...known.map(({ effect }) => effect), ...made.map(({ call }) => toIntent(call))]
  run.intents = intents
  const onlyReads = made.every(({ call }) => isRead(call.checked.tool))
  if (!onlyReads || run.hasFailed) return saveStep(context, run)
  saveStepSoon(context, run)
  return undefined
}

const isRead = ({ effects, repeat }: Tool) => effects === 'read' && repeat === 'safe'

/**
 * Gives the results of the calls that are not made: they are refused, or the ledger knows how they ended. Told behind
 * the write that announces the others: whoever goes on from there does it again.
 */
function tellOthers(
  context: RunsContext,
  run: ActiveRun,
  calls: readonly ToolCallPart[],
  { refused, known, results }: CallPlan,
): void {
  for (const { place, problem } of refused) {
    const call = calls[place]
    if (!call) continue
    announceCall(context, run, call)
    results[place] = failCall(context, run, call, problem)
  }
  for (const { place, outcome } of known) {
    results[place] = outcome.result
    finishCall(context, run, outcome.result, 0)
  }
}

/** Keeps what is known of the calls, and says of the others why they are not made again. */
function giveUp(context: RunsContext, run: ActiveRun, calls: readonly ToolCallPart[], plan: CallPlan) {
  const { results, uncertain, made } = plan
  tellOthers(context, run, calls, plan)
  const tools: string[] = []
  for (const place of [...uncertain, ...made.filter(({ call }) => call.isRepeat).map((one) => one.place)]) {
    const call = calls[place]
    if (!call) continue
    results[place] = failCall(context, run, call, uncertainCall)
    if (uncertain.includes(place)) tools.push(call.name)
  }
  addResults(
    run,
    calls,
    results.filter((result) => result !== undefined),
  )
  return effectUncertain(tools)
}
