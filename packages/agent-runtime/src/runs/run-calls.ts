import type { Approval } from '@homeward/contract/agent-platform'
import type { ToolCallPart, ToolResult } from '../ports/message.ts'
import type { EffectOutcome, StoredEffect } from '../ports/effect.ts'
import type { StoredApproval } from '../ports/run-store.ts'
import type { Tool } from '../ports/tool.ts'
import { lastCalls, type ActiveRun } from './active-run.ts'
import { addResults } from './call-results.ts'
import type { ArgumentChecks } from './check-arguments.ts'
import { effectUncertain, toIntent, uncertainCall } from './effect-ledger.ts'
import { runGoesOn } from './given-up.ts'
import { makeCalls } from './make-calls.ts'
import { checkCall, type CheckedCall } from './run-tool-call.ts'
import type { RunsContext } from './runs-options.ts'
import { saveStep, saveStepSoon } from './save-step.ts'
import { announceCall, failCall, finishCall } from './tell-calls.ts'

/** More calls than this in one turn are answered with an error. */
const maxCallsPerTurn = 64
const tooManyCalls = `Not called: more than ${maxCallsPerTurn} calls in one turn`

type Runnable = Extract<CheckedCall, { tool: Tool }>

/** A call that is made now. */
export interface PlannedCall {
  readonly checked: Runnable
  /** What the ledger knows it by, and what its tool gets to tell a repeat by. */
  readonly key: string
  /** Whether the ledger has it from before: it was told of, and may have been made. */
  readonly isRepeat: boolean
}

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

/** What is known of the calls of a run that goes on, by the call's id. */
export interface KnownCalls {
  /** What people decided. */
  readonly verdicts: ReadonlyMap<string, Pick<StoredApproval, 'status' | 'reason'>>
  /** What the ledger has. */
  readonly ledger: ReadonlyMap<string, StoredEffect>
}

/** What becomes of the calls of a turn. */
interface Plan {
  /** By the place of the call. */
  readonly results: (ToolResult | undefined)[]
  /** Calls that are not made, and why. */
  readonly refused: { readonly place: number; readonly problem: string }[]
  readonly made: { readonly place: number; readonly call: PlannedCall }[]
  readonly waiting: ToolCallPart[]
  /** Calls whose outcome the ledger has. */
  readonly known: { readonly place: number; readonly effect: StoredEffect; readonly outcome: EffectOutcome }[]
  /** Places of calls that may have been made, and must not be made twice. */
  readonly uncertain: number[]
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
  const toIndex = placesIn(run, calls)
  const checked = checkCalls(context, checks, run, calls, toIndex, before)
  const plan = planCalls(run, toIndex, checked instanceof Promise ? await checked : checked, before)
  const { results, made, waiting, known } = plan
  if (plan.uncertain.length > 0) throw giveUp(context, run, calls, plan)
  const suspended = made.length > 0 ? await carryOut(context, run, calls, plan) : []
  if (made.length === 0) tellOthers(context, run, calls, plan)
  run.intents = undefined
  for (const { outcome } of known) if (outcome.untrusted) run.tainted = true
  addResults(
    run,
    calls,
    results.filter((result) => result !== undefined),
  )
  return { waiting, suspended }
}

async function carryOut(
  context: RunsContext,
  run: ActiveRun,
  calls: readonly ToolCallPart[],
  plan: Plan,
): Promise<SuspendedCall[]> {
  const { made, results } = plan
  if (run.own.isLeaving) throw runGoesOn()
  // From here on a shutdown leaves the calls some time: one that stands in the ledger but never began would be uncertain.
  run.own.inCalls = true
  const suspended: SuspendedCall[] = []
  try {
    if (made.some(({ call }) => !call.isRepeat)) await announce(context, run, plan)
    tellOthers(context, run, calls, plan)
    const ends = await makeCalls(
      context,
      run,
      made.map(({ call }) => call),
    )
    for (const [index, end] of ends.entries()) {
      if ('result' in end) results[made[index]?.place ?? 0] = end.result
      else if ('suspended' in end) suspended.push(end.suspended)
      else throw run.signal.aborted ? run.signal.reason : runGoesOn()
    }
  } finally {
    run.own.inCalls = false
  }
  return suspended
}

/** Checks calls; without a promise once all that checks them is loaded, as it is in nearly every turn. */
function checkCalls(
  context: RunsContext,
  checks: ArgumentChecks,
  run: ActiveRun,
  calls: readonly ToolCallPart[],
  toIndex: ToIndex,
  before: KnownCalls | undefined,
): CheckedCall[] | Promise<CheckedCall[]> {
  let waits = false
  const checked = calls.map((call, place) => {
    const problem = toRefusal(toIndex(call, place), before?.verdicts.get(call.id))
    if (problem !== undefined) return { call, problem }
    const check = checkCall(call, run.tools, checks, context)
    waits ||= check instanceof Promise
    return check
  })
  return waits ? Promise.all(checked.map((check) => Promise.resolve(check))) : (checked as CheckedCall[]) // none of them is a promise
}

function planCalls(
  run: ActiveRun,
  toIndex: ToIndex,
  checks: readonly CheckedCall[],
  before: KnownCalls | undefined,
): Plan {
  const plan: Plan = { results: [], refused: [], made: [], waiting: [], known: [], uncertain: [] }
  for (const [place, checked] of checks.entries()) {
    const { call } = checked
    const stored = before?.ledger.get(call.id)
    if (stored?.outcome) {
      plan.known.push({ place, effect: stored, outcome: stored.outcome })
    } else if (stored?.repeat === 'once') plan.uncertain.push(place)
    else if (!('tool' in checked)) {
      plan.refused.push({ place, problem: checked.problem })
    } else if (stored || before?.verdicts.has(call.id) || !needsApproval(run, checked.tool)) {
      const key = stored?.key ?? toKey(run, toIndex(call, place))
      plan.made.push({ place, call: { checked, key, isRepeat: stored !== undefined } })
    } else plan.waiting.push(call)
  }
  return plan
}

/** Gives the place of a call in the answer that it comes from: the calls that are made may be some of its calls. */
type ToIndex = (call: ToolCallPart, place: number) => number

function placesIn(run: ActiveRun, calls: readonly ToolCallPart[]): ToIndex {
  const all = lastCalls(run.messages)
  if (all.length === calls.length) return samePlace
  return (call) => all.findIndex(({ id }) => id === call.id)
}

const samePlace: ToIndex = (_, place) => place

/** Made of what a repeat of the step knows too; providers may give the same id to calls of different turns. */
const toKey = (run: ActiveRun, index: number) => `${run.run.id}:${run.turns}:${index}`

function toRefusal(index: number, verdict: Pick<StoredApproval, 'status' | 'reason'> | undefined) {
  if (index >= maxCallsPerTurn) return tooManyCalls
  return verdict?.status === 'denied' ? denial(verdict.reason) : undefined
}

function needsApproval(run: ActiveRun, tool: Tool): boolean {
  if (run.agent.approval_tools?.includes(tool.id)) return true
  return run.tainted && tool.effects === 'external'
}

const denial = (reason: string | undefined) =>
  `A person denied this call${reason ? `: ${reason}` : ''}. Do not try it again; go on without it`

/**
 * Writes down what is about to be made, with the model's answer; what the ledger knew stays there. Calls that only read
 * begin while it is being written: after a crash there is nothing of theirs to be done twice.
 */
async function announce(context: RunsContext, run: ActiveRun, { made, known }: Plan): Promise<void> {
  for (const { call } of made) announceCall(context, run, call.checked.call)
  run.intents = () => [...known.map(({ effect }) => effect), ...made.map(({ call }) => toIntent(call))]
  const onlyReads = made.every(({ call }) => isRead(call.checked.tool))
  if (onlyReads && !run.hasFailed) saveStepSoon(context, run)
  else await saveStep(context, run)
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
  { refused, known, results }: Plan,
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
function giveUp(context: RunsContext, run: ActiveRun, calls: readonly ToolCallPart[], plan: Plan) {
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
