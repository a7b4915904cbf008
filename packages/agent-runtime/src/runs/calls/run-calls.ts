import type { Approval } from '@homeward/contract/agent-platform'
import { cut } from '../../json/to-json.ts'
import type { ToolCallPart, ToolResult } from '../../ports/message.ts'
import type { Tool } from '../../ports/tool.ts'
import { addResults, taint, type ActiveRun } from '../active-run.ts'
import type { ArgumentChecks } from './check-arguments.ts'
import { effectUncertain, toIntent, uncertainCall } from './effect-ledger.ts'
import { runGoesOn } from '../run-interrupts.ts'
import { beginCalls, type CallEnd } from './make-calls.ts'
import { planCalls, type CallPlan, type KnownCalls, type PlannedCall } from './plan-calls.ts'
import type { RunsContext } from '../runs-options.ts'
import { announceCall, failCall, finishCall } from './emit-call-events.ts'

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
  const plan = await planCalls(context, checks, run, calls, before)
  const { results, made, waiting, known } = plan
  if (plan.uncertain.length > 0) throw giveUp(run, calls, plan)
  if (made.length > 0 && run.own.isLeaving) throw runGoesOn()
  let suspended: SuspendedCall[] = []
  // From here on a shutdown leaves the calls some time: one that stands in the ledger but never began would be uncertain.
  run.own.inCalls = made.length > 0
  try {
    await announce(run, plan)
    tellOthers(run, calls, plan)
    if (made.length > 0) {
      // After a pause of this process another one may have the run: it is asked before anything is done twice.
      if (!context.leases.isFresh()) await context.leases.renew()
      suspended = takeEnds(run, plan, await Promise.all(beginCalls(context, run, made)))
    }
  } finally {
    run.own.inCalls = false
  }
  for (const { outcome } of known) if (outcome.untrusted) taint(run)
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

/** Announces the calls that are about to be made; what the ledger knew stays there. */
async function announce(run: ActiveRun, { made, known }: CallPlan): Promise<void> {
  if (made.every(({ call }) => call.isRepeat)) return
  for (const { call } of made) announceCall(run, call.checked.call)
  const intents = () => [...known.map(({ effect }) => effect), ...made.map(({ call }) => toIntent(call))]
  const onlyReads = made.every(({ call }) => isRead(call.checked.tool))
  await run.writer.announce(intents, onlyReads)
}

const isRead = ({ effects, repeat }: Tool) => effects === 'read' && repeat === 'safe'

/**
 * Gives the results of the calls that are not made: they are refused, or the ledger knows how they ended. Told behind
 * the write that announces the others: whoever goes on from there does it again.
 */
function tellOthers(
  run: ActiveRun,
  calls: readonly ToolCallPart[],
  { refused, responses, known, results }: CallPlan,
): void {
  for (const { place, text } of responses) {
    const call = calls[place]
    if (!call) continue
    announceCall(run, call)
    const result: ToolResult = { id: call.id, name: cut(call.name, 200), result: run.redact.text(text) }
    results[place] = result
    finishCall(run, result, 0)
  }
  for (const { place, problem } of refused) {
    const call = calls[place]
    if (!call) continue
    announceCall(run, call)
    results[place] = failCall(run, call, problem)
  }
  for (const { place, outcome } of known) {
    results[place] = outcome.result
    finishCall(run, outcome.result, 0)
  }
}

/** Keeps what is known of the calls, and says of the others why they are not made again. */
function giveUp(run: ActiveRun, calls: readonly ToolCallPart[], plan: CallPlan) {
  const { results, uncertain, made } = plan
  tellOthers(run, calls, plan)
  const tools: string[] = []
  for (const place of [...uncertain, ...made.filter(({ call }) => call.isRepeat).map((one) => one.place)]) {
    const call = calls[place]
    if (!call) continue
    results[place] = failCall(run, call, uncertainCall)
    if (uncertain.includes(place)) tools.push(call.name)
  }
  addResults(
    run,
    calls,
    results.filter((result) => result !== undefined),
  )
  return effectUncertain(tools)
}
