import type { JsonObject } from '@homeward/contract/agent-platform'
import { copyJson, cut } from '../../json/to-json.ts'
import { withoutAbsentNulls } from '../../json-schema/absent-nulls.ts'
import type { ToolCallPart, ToolResult } from '../../ports/message.ts'
import type { Tool } from '../../ports/tool.ts'
import type { DecidedStatus, DecisionDetails } from '../../store/ports/remembered-call.ts'
import type { EffectOutcome, StoredEffect } from '../../store/ports/effect.ts'
import type { RunTools } from '../loop/prompt.ts'
import type { OpenedWait, Run } from '../loop/run.ts'
import type { CallQuestion } from '../loop/stage.ts'
import { lastCalls } from '../run-messages.ts'
import { isUncertain } from './effect-ledger.ts'

/** A tool call that may be made. */
export interface RunnableCall {
  readonly call: ToolCallPart
  readonly tool: Tool
  readonly args: JsonObject
}

/** A tool call that may be made, or the error that the model gets instead. */
export type CheckedCall =
  | RunnableCall
  | {
      readonly call: ToolCallPart
      readonly problem: string
      /** Whether a person denied the call, or nobody decided about it in time. @default false */
      readonly denied?: true
      /** Whether a guard did not let it pass. @default false */
      readonly isRefused?: boolean
    }

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

/** What a person decided about a call. */
export interface Verdict extends DecisionDetails {
  readonly status: DecidedStatus
  /** Who decided; `timeout` if nobody decided in time. */
  readonly decidedBy?: string
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
  readonly refused: { readonly place: number; readonly problem: string; readonly denied?: true }[]
  /** Calls that are not made because a person has answered in place of the tool. */
  readonly responses: { readonly place: number; readonly text: string }[]
  readonly made: { readonly place: number; readonly call: PlannedCall }[]
  /** What calls wait for before they are made. */
  readonly opens: OpenedWait[]
  /** Calls whose outcome the ledger has. */
  readonly known: { readonly place: number; readonly effect: StoredEffect; readonly outcome: EffectOutcome }[]
  /** Places of calls that may have been made, and must not be made twice. */
  readonly uncertain: number[]
}

/** More calls than this in one turn are answered with an error. */
export const maxCallsPerTurn = 64
const tooManyCalls = `Not called: more than ${maxCallsPerTurn} calls in one turn`

/**
 * Checks the calls of a turn, and decides what becomes of each.
 *
 * @param ownKey of the one call, if a program makes it
 */
export async function planCalls(
  run: Run,
  calls: readonly ToolCallPart[],
  before?: KnownCalls,
  ownKey?: string,
): Promise<CallPlan> {
  const toIndex = before === undefined || ownKey !== undefined ? samePlace : placesIn(run, calls)
  const checked = await Promise.all(
    // oxlint-disable-next-line typescript/await-thenable -- most checks end at once, some ask a thread
    calls.map((call, place) => check(run, call, before?.verdicts.get(call.id), toIndex(call, place))),
  )
  const questions = checked.map((one) => toQuestion(one, before))
  const open = questions.filter((question) => question !== undefined)
  if (open.length > 0) for (const stage of run.stages) if (stage.calls) await stage.calls(open)
  const plan: CallPlan = {
    results: [],
    refused: [],
    responses: [],
    made: [],
    opens: [],
    known: [],
    uncertain: [],
  }
  for (const [place, one] of checked.entries()) {
    const key = () => ownKey ?? `${run.row.id}:${run.progress.turns}:${toIndex(one.call, place)}`
    addToPlan(plan, place, one, questions[place], before, key)
  }
  return plan
}

function check(
  run: Run,
  call: ToolCallPart,
  verdict: Verdict | undefined,
  index: number,
): CheckedCall | Promise<CheckedCall> {
  if (index >= maxCallsPerTurn) return { call, problem: tooManyCalls }
  if (verdict?.status === 'denied') return { call, problem: toDenial(verdict), denied: true }
  if (call.refused !== undefined) return { call, problem: call.refused }
  const { editedArgs: args } = verdict ?? {}
  return checkCall(run, args ? { ...call, args } : call)
}

/** @returns undefined for a call that cannot be made */
function toQuestion(checked: CheckedCall, before: KnownCalls | undefined): CallQuestion | undefined {
  if (!('tool' in checked)) return undefined
  const { id } = checked.call
  const verdict = before?.verdicts.get(id)
  const isOpen = !before?.ledger.has(id) && (!verdict || verdict.status === 'approved')
  return {
    checked,
    state: isOpen ? (verdict ? 'approved' : 'new') : 'known',
    isEdited: verdict?.editedArgs !== undefined,
    ruling: undefined,
  }
}

/** @param toKey gives what a repeat of the step knows too; providers may give the same id to calls of different turns */
function addToPlan(
  plan: CallPlan,
  place: number,
  given: CheckedCall,
  question: CallQuestion | undefined,
  before: KnownCalls | undefined,
  toKey: () => string,
): void {
  const checked = question?.checked ?? given
  const { id } = given.call
  const stored = before?.ledger.get(id)
  const verdict = before?.verdicts.get(id)
  const { ruling } = question ?? {}
  if (stored?.outcome) plan.known.push({ place, effect: stored, outcome: stored.outcome })
  else if (stored && isUncertain(stored)) plan.uncertain.push(place)
  else if (verdict?.status === 'responded') plan.responses.push({ place, text: verdict.response ?? '' })
  else if (!('tool' in checked))
    plan.refused.push({ place, problem: checked.problem, ...(checked.denied && { denied: true }) })
  else if (ruling?.kind === 'deny') plan.refused.push({ place, problem: ruling.problem })
  else if (ruling?.kind === 'respond') plan.responses.push({ place, text: ruling.text })
  else if (ruling?.kind === 'ask') plan.opens.push({ kind: 'approval', call: given.call })
  else {
    // what a guard made of a person's arguments is what the call is made with
    const edited = verdict?.editedArgs && { editedArgs: checked.args }
    const key = stored?.key ?? toKey()
    plan.made.push({
      place,
      call: { checked, key, isRepeat: stored !== undefined && !stored.isParked, ...edited },
    })
  }
}

/** Gives the place of a call in the answer that it comes from. A run that goes on may make only some of its calls. */
type ToIndex = (call: ToolCallPart, place: number) => number

function placesIn(run: Run, calls: readonly ToolCallPart[]): ToIndex {
  const all = lastCalls(run.writer.messages)
  if (all.length === calls.length) return samePlace
  return (call) => all.findIndex(({ id }) => id === call.id)
}

const samePlace: ToIndex = (_, place) => place

/** Finds the tool of a call and checks the arguments. What is wrong goes back to the model, never to the tool. */
export async function checkCall({ context, tools, signal }: Run, call: ToolCallPart): Promise<CheckedCall> {
  const tool = tools.byId.get(call.name)
  if (!tool) return { call, problem: unknownTool(call.name, tools) }
  const { args } = call
  if (typeof args === 'string')
    return {
      call,
      problem: 'The arguments are not valid JSON, or are nested too deeply. Write one JSON object',
    }
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    return { call, problem: 'The arguments must be one JSON object' }
  }
  const ownArgs = withoutAbsentNulls(tool.inputSchema, args)
  const found = await context.checks.check(tool, ownArgs, signal)
  if (found.outcome === 'valid') return { call, tool, args: ownArgs }
  return { call, problem: `The arguments do not match the parameters: ${found.problem}` }
}

function unknownTool(name: string, tools: RunTools): string {
  const known = tools.offered
    .map((tool) => tool.name)
    .slice(0, 100)
    .join(', ')
  return `No tool has the name "${cut(name, 100)}". ${known ? `Tools: ${known}` : 'This agent has no tools'}`
}

/**
 * Arguments for a tool: a copy, because what it does to them must not reach the stored ones. A tool with `validate` knows the
 * object that it has parsed again, and takes a copy itself.
 */
export const ownArguments = (tool: Tool, args: JsonObject): JsonObject =>
  tool.validate ? args : copyJson(args)

/** What the model reads about a call that a person denied, or that nobody decided about in time. */
export function toDenial({ reason, decidedBy }: Pick<Verdict, 'reason' | 'decidedBy'>): string {
  const fact =
    decidedBy === 'timeout'
      ? 'Not called: no one decided this call in time'
      : `A person denied this call${reason ? `: ${reason}` : ''}`
  return `${fact}. Do not try this call again; continue without it`
}
