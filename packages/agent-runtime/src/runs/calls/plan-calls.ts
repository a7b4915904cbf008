import type { ToolCallPart, ToolResult } from '../../ports/message.ts'
import type { EffectOutcome, StoredEffect } from '../../store/ports/effect.ts'
import type { JsonObject } from '@homeward/contract/agent-platform'
import type { ActiveRun } from '../active-run.ts'
import {
  ruleOnApproved,
  ruleOnCalls,
  toDenial,
  type Ruling,
  type Verdict,
} from '../approvals/rule-on-calls.ts'
import type { RunsContext } from '../runs-options.ts'
import type { ArgumentChecks } from './check-arguments.ts'
import { checkCall, type CheckedCall, type RunnableCall } from './run-tool-call.ts'
import { guardCall } from '../guards/guard-calls.ts'
import { lastCalls } from '../run-messages.ts'

/** More calls than this in one turn are answered with an error. */
export const maxCallsPerTurn = 64
const tooManyCalls = `Not called: more than ${maxCallsPerTurn} calls in one turn`

/** A call that is made now. */
export interface PlannedCall {
  readonly checked: RunnableCall
  /** What the ledger knows it by, and what its tool gets to tell a repeat by. */
  readonly key: string
  /** Whether the ledger has it from before: it was told of, and may have been made. */
  readonly isRepeat: boolean
  /** Arguments of a person, in place of the model's. */
  readonly editedArgs?: JsonObject
}

/** What is known of the calls of a run that goes on, by the call's id. */
export interface KnownCalls {
  /** What people decided. */
  readonly verdicts: ReadonlyMap<string, Verdict>
  /** What the ledger has. */
  readonly ledger: ReadonlyMap<string, StoredEffect>
}

/** What becomes of the calls of a turn. */
export interface CallPlan {
  /** By the place of the call. */
  readonly results: (ToolResult | undefined)[]
  /** Calls that are not made, and why. */
  readonly refused: { readonly place: number; readonly problem: string }[]
  /** Calls that are not made because a person has answered in place of the tool. */
  readonly responses: { readonly place: number; readonly text: string }[]
  readonly made: { readonly place: number; readonly call: PlannedCall }[]
  readonly waiting: ToolCallPart[]
  /** Calls whose outcome the ledger has. */
  readonly known: { readonly place: number; readonly effect: StoredEffect; readonly outcome: EffectOutcome }[]
  /** Places of calls that may have been made, and must not be made twice. */
  readonly uncertain: number[]
}

/** Checks the calls of a turn, and decides what becomes of each. */
export async function planCalls(
  context: RunsContext,
  checks: ArgumentChecks,
  run: ActiveRun,
  calls: readonly ToolCallPart[],
  before?: KnownCalls,
): Promise<CallPlan> {
  const toIndex = before === undefined ? samePlace : placesIn(run, calls)
  const check = async (call: ToolCallPart, place: number): Promise<CheckedCall> => {
    if (toIndex(call, place) >= maxCallsPerTurn) return { call, problem: tooManyCalls }
    const verdict = before?.verdicts.get(call.id)
    if (verdict?.status === 'denied') return { call, problem: toDenial(verdict) }
    if (call.refused !== undefined) return { call, problem: call.refused }
    const { editedArgs: args } = verdict ?? {}
    if (!args) return checkCall(call, run, checks)
    const edited = await checkCall({ ...call, args }, run, checks)
    return guardCall(context, checks, run, edited)
  }
  const checked = await Promise.all(calls.map(check))
  const isOpen = (one: CheckedCall): one is RunnableCall =>
    'tool' in one && !before?.ledger.has(one.call.id) && !before?.verdicts.has(one.call.id)
  const isApproved = (one: CheckedCall): one is RunnableCall =>
    'tool' in one &&
    !before?.ledger.has(one.call.id) &&
    before?.verdicts.get(one.call.id)?.status === 'approved'
  const open = checked.filter(isOpen)
  const approved = checked.filter(isApproved)
  const rulings = [
    ...(await ruleOnCalls(context, checks, run, open)),
    ...(await ruleOnApproved(context, checks, run, approved)),
  ]
  const all = [...open, ...approved]
  return toPlan(run, toIndex, checked, before, new Map(all.map((one, index) => [one, rulings[index]])))
}

function toPlan(
  run: ActiveRun,
  toIndex: ToIndex,
  checks: readonly CheckedCall[],
  before: KnownCalls | undefined,
  rulings: ReadonlyMap<CheckedCall, Ruling | undefined>,
): CallPlan {
  const plan: CallPlan = {
    results: [],
    refused: [],
    responses: [],
    made: [],
    waiting: [],
    known: [],
    uncertain: [],
  }
  for (const [place, checked] of checks.entries()) {
    const { call } = checked
    const stored = before?.ledger.get(call.id)
    const verdict = before?.verdicts.get(call.id)
    const ruling = rulings.get(checked)
    const { editedArgs } = verdict ?? {}
    if (stored?.outcome) {
      plan.known.push({ place, effect: stored, outcome: stored.outcome })
    } else if (stored?.repeat === 'once') plan.uncertain.push(place)
    else if (verdict?.status === 'responded') plan.responses.push({ place, text: verdict.response ?? '' })
    else if (!('tool' in checked)) plan.refused.push({ place, problem: checked.problem })
    else if (ruling?.kind === 'deny') plan.refused.push({ place, problem: ruling.problem })
    else if (ruling?.kind === 'respond') plan.responses.push({ place, text: ruling.text })
    else if (ruling?.kind === 'ask') plan.waiting.push(call)
    else {
      const key = stored?.key ?? toKey(run, toIndex(call, place))
      const isRepeat = stored !== undefined
      // what a guard made of a person's arguments is what the call is made with
      const edited = editedArgs && { editedArgs: checked.args }
      plan.made.push({ place, call: { checked, key, isRepeat, ...edited } })
    }
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
