import type { ToolCallPart, ToolResult } from '../../ports/message.ts'
import type { EffectOutcome, StoredEffect } from '../../store/ports/effect.ts'
import type { StoredApproval } from '../../store/ports/approval.ts'
import type { Tool } from '../../ports/tool.ts'
import type { ActiveRun } from '../active-run.ts'
import type { ArgumentChecks } from './check-arguments.ts'
import { checkCall, type CheckedCall } from './run-tool-call.ts'
import { lastCalls } from '../run-messages.ts'

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

/** What is known of the calls of a run that goes on, by the call's id. */
export interface KnownCalls {
  /** What people decided. */
  readonly verdicts: ReadonlyMap<string, Pick<StoredApproval, 'status' | 'reason'>>
  /** What the ledger has. */
  readonly ledger: ReadonlyMap<string, StoredEffect>
}

/** What becomes of the calls of a turn. */
export interface CallPlan {
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

/** Checks the calls of a turn, and decides what becomes of each. */
export async function planCalls(
  checks: ArgumentChecks,
  run: ActiveRun,
  calls: readonly ToolCallPart[],
  before?: KnownCalls,
): Promise<CallPlan> {
  const toIndex = before === undefined ? samePlace : placesIn(run, calls)
  const check = async (call: ToolCallPart, place: number): Promise<CheckedCall> => {
    const problem = toRefusal(toIndex(call, place), before?.verdicts.get(call.id))
    return problem === undefined ? checkCall(call, run.tools, checks) : { call, problem }
  }
  return toPlan(run, toIndex, await Promise.all(calls.map(check)), before)
}

function toPlan(
  run: ActiveRun,
  toIndex: ToIndex,
  checks: readonly CheckedCall[],
  before: KnownCalls | undefined,
): CallPlan {
  const plan: CallPlan = { results: [], refused: [], made: [], waiting: [], known: [], uncertain: [] }
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

/** Gives the place of a call in the answer that it comes from. A run that goes on may make only some of its calls. */
type ToIndex = (call: ToolCallPart, place: number) => number

function placesIn(run: ActiveRun, calls: readonly ToolCallPart[]): ToIndex {
  const all = lastCalls(run.writer.messages)
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
