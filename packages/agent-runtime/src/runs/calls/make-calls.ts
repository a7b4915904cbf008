import { cut } from '../../json/to-json.ts'
import type { ToolCallPart, ToolResult } from '../../ports/message.ts'
import { isIdempotent, type Tool } from '../../ports/tool.ts'
import { WaitingAgent } from '../../ports/waiting-agent.ts'
import type { EffectOutcome, ParkedEffect, StoredEffect } from '../../store/ports/effect.ts'
import type { OpenCalls, OpenedWait, Run, SuspendedCall } from '../loop/run.ts'
import type { ResultQuestion } from '../loop/stage.ts'
import { isGivenUp, runGoesOn } from '../run-interrupts.ts'
import { withSources } from './cite.ts'
import { announceCall, failCall, finishCall } from './call-events.ts'
import { effectUncertain, toIntent, uncertainCall } from './effect-ledger.ts'
import { planCalls, type CallPlan, type KnownCalls, type PlannedCall } from './plan-calls.ts'
import { runTool } from './run-tool.ts'

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
  run: Run,
  calls: readonly ToolCallPart[],
  before?: KnownCalls,
): Promise<OpenCalls> {
  const plan = await planCalls(run, calls, before)
  const { results, made, opens, known } = plan
  if (plan.uncertain.length > 0) throw giveUp(run, calls, plan)
  if (made.length > 0 && run.own.isLeaving) throw runGoesOn()
  let ended: TurnEnd = { suspended: [], uncertain: [], kept: [] }
  // From here on a shutdown leaves the calls some time: one that stands in the ledger but never began would be uncertain.
  run.own.inCalls = made.length > 0
  try {
    await announce(run, plan, before)
    tellOthers(run, calls, plan)
    if (made.length > 0) {
      const { leases } = run.context
      // After a pause of this process another one may have the run: it is asked before anything is done twice.
      if (!leases.isFresh()) await leases.renew()
      ended = takeEnds(run, plan, await Promise.all(beginCalls(run, made)))
    }
  } finally {
    run.own.inCalls = false
  }
  for (const { outcome } of known) if (outcome.untrusted) run.taint()
  run.addResults(
    calls,
    results.filter((result) => result !== undefined),
  )
  const { suspended, uncertain, kept } = ended
  if (uncertain.length > 0) throw effectUncertain(uncertain)
  return { opens, suspended, ...(kept.length > 0 && { kept }) }
}

/** What calls wait for that have not ended, and what programs of them cannot know. */
interface TurnEnd {
  readonly suspended: SuspendedCall[]
  readonly uncertain: string[]
  readonly kept: StoredEffect[]
}

/** Takes the results of calls that have ended. */
function takeEnds(run: Run, { made, results, opens }: CallPlan, ends: readonly CallEnd[]): TurnEnd {
  const left: TurnEnd = { suspended: [], uncertain: [], kept: [] }
  ends.forEach((end, index) => {
    if ('result' in end) results[made[index]?.place ?? 0] = end.result
    if ('result' in end) left.uncertain.push(...(end.uncertain ?? []))
    if ('result' in end) return
    if ('open' in end) throw run.signal.aborted ? run.signal.reason : runGoesOn()
    opens.push(...end.parked)
    left.suspended.push(...end.suspended)
    left.kept.push(...end.kept)
  })
  return left
}

/** Announces the calls that are about to be made; what the ledger knew stays there. */
async function announce(run: Run, { made, known }: CallPlan, before?: KnownCalls): Promise<void> {
  if (made.every(({ call }) => call.isRepeat)) return
  for (const { call } of made) announceCall(run, call.checked.call)
  const inner = [...(before?.ledger.values() ?? [])].filter((effect) => effect.inner)
  const own = () => [...known.map(({ effect }) => effect), ...made.map(({ call }) => toIntent(call))]
  const intents = () => [...own(), ...inner]
  const onlyReads = made.every(({ call }) => isRead(call.checked.tool))
  await run.writer.announce(intents, onlyReads)
}

const isRead = (tool: Tool) => tool.effects === 'read' && isIdempotent(tool)

/**
 * Gives the results of the calls that are not made: they are refused, or the ledger knows how they ended. Told behind
 * the write that announces the others: whoever goes on from there does it again.
 */
export function tellOthers(
  run: Run,
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
  for (const { place, problem, denied } of refused) {
    const call = calls[place]
    if (!call) continue
    announceCall(run, call)
    results[place] = failCall(run, call, problem, denied && { denied })
  }
  for (const { place, outcome } of known) {
    results[place] = outcome.result
    finishCall(run, outcome.result, 0)
  }
}

/** Keeps what is known of the calls, and says of the others why they are not made again. */
function giveUp(run: Run, calls: readonly ToolCallPart[], plan: CallPlan) {
  const { results, uncertain, made } = plan
  tellOthers(run, calls, plan)
  const tools: string[] = []
  for (const place of [...uncertain, ...made.filter(({ call }) => call.isRepeat).map((one) => one.place)]) {
    const call = calls[place]
    if (!call) continue
    results[place] = failCall(run, call, uncertainCall)
    if (uncertain.includes(place)) tools.push(call.name)
  }
  run.addResults(
    calls,
    results.filter((result) => result !== undefined),
  )
  return effectUncertain(tools)
}

/** How a call that was made ended here. `open`: the run was aborted, and nothing is known of it. */
type CallEnd =
  | {
      readonly result: ToolResult
      /** Tools that its program may have called before a crash, and must not call twice. */
      readonly uncertain?: readonly string[]
    }
  | WaitingCall
  | { readonly open: true }

/** A call that waits: for people, for other runs, or a program for both. */
interface WaitingCall {
  readonly parked: readonly OpenedWait[]
  readonly suspended: readonly SuspendedCall[]
  /** Entries of the calls that its program has made. */
  readonly kept: readonly StoredEffect[]
}

/** Context that calls of the same turn share. */
interface CallGroup {
  /** Whether the run had read what a stranger may have made when the calls were asked for. */
  readonly tainted: boolean
  /** Calls that have not ended yet. */
  open: number
  /** Stores an outcome. @default in the ledger of the turn */
  keep?(outcome: EffectOutcome | ParkedEffect): Promise<void>
}

/**
 * Begins calls, all at once. Of several, each outcome is written down as it comes, but for the
 * last one, which the next step holds. They reject with a `LostRun` when the run is not this process's any more.
 *
 * @throws {unknown} the signal's reason, before any call, when the run was given up.
 */
function beginCalls(run: Run, calls: CallPlan['made']): readonly Promise<CallEnd>[] {
  if (run.signal.aborted && isGivenUp(run.signal.reason)) throw run.signal.reason
  // The taint at the turn's start counts: the model asked for all of these before it read any of their results.
  const turn = { tainted: run.progress.tainted, open: calls.length }
  return calls.map(({ call }) => makeCall(run, call, turn))
}

/** Of a run that was aborted and ends here, its end holds the outcome. */
async function keepOutcome(
  { signal, writer, own }: Run,
  outcome: EffectOutcome | ParkedEffect,
): Promise<void> {
  if (signal.aborted && !isGivenUp(signal.reason)) return
  try {
    await writer.keepOutcome(outcome)
  } catch (error) {
    own.controller.abort(error) // the other calls of the turn have to stop too
    throw error
  }
}

/** Makes a call, and stores its outcome unless it is the last one of its turn. */
export async function makeCall(run: Run, planned: PlannedCall, turn: CallGroup): Promise<CallEnd> {
  const keep = turn.keep ?? ((outcome) => keepOutcome(run, outcome))
  const { checked, key, editedArgs } = planned
  const { tool, args } = checked
  const startedAtMs = run.context.now()
  const made = await runTool(run, checked, key, turn.tainted)
  if (made instanceof WaitingAgent) {
    turn.open -= 1
    return { parked: [], suspended: [{ call: planned, runId: made.runId, waits: made.waits }], kept: [] }
  }
  if (made && 'parked' in made) {
    turn.open -= 1
    // until its turn has ended and the question is stored, a crash must find that it has done nothing yet
    if (!isIdempotent(tool)) await keep({ key, isParked: true })
    return {
      parked: made.parked.map((one) => ({ ...one, planned })),
      suspended: made.suspended.map((one) => ({ ...one, call: planned })),
      kept: made.kept,
    }
  }
  if (made && 'uncertain' in made) {
    turn.open -= 1
    const { inner } = made
    return { result: failCall(run, checked.call, uncertainCall, { inner }), uncertain: made.uncertain }
  }
  if (made === undefined) {
    turn.open -= 1
    return { open: true }
  }
  const whole = editedArgs || tool.undo ? withMarks(made, planned, turn.tainted) : made
  const untrusted = tool.returnsUntrustedContent && isUntrusted(tool, whole)
  if (untrusted) run.taint()
  // after a crash during a check of the result it has to be known that the call was made
  if (!isIdempotent(tool) && run.stages.some(({ result }) => result))
    await keep({ key, result: whole, untrusted, isUnchecked: true })
  const left = await checkResult(run, { key, args, result: whole })
  const end = left && tool.sourcesOf ? withSources(run, tool, left) : left
  turn.open -= 1
  if (end === undefined) return { open: true }
  finishCall(run, end, Math.max(0, run.context.now() - startedAtMs))
  // of a run that is given back, what is done has to be known
  if (turn.open > 0 || run.signal.aborted) await keep({ key, result: end, untrusted })
  return { result: end }
}

/** A result with the arguments of a person, and with what an undo of the call needs. */
export const withMarks = (
  made: ToolResult,
  { checked: { tool }, key, editedArgs }: Omit<PlannedCall, 'isRepeat'>,
  tainted: boolean,
): ToolResult => ({
  ...made,
  ...(editedArgs && { edited_args: editedArgs }),
  ...(tool.undo && { undo: { key, tainted } }),
})

/** What the stages leave of a result. @returns undefined when the run goes on somewhere else: the result is checked there */
export async function checkResult(run: Run, question: ResultQuestion): Promise<ToolResult | undefined> {
  let { result }: { result: ToolResult | undefined } = question
  for (const stage of run.stages) {
    if (!stage.result) continue
    result = await stage.result({ ...question, result })
    if (!result) return undefined
  }
  return result
}

/** Whether a call brought in content that a stranger may have made. A failure counts: its text may come from there. */
export function isUntrusted(tool: Tool, { result }: Pick<ToolResult, 'result'>): boolean {
  const decides = tool.returnsUntrustedContent
  if (typeof decides === 'boolean') return decides
  if (result === undefined) return true
  try {
    return decides(result)
  } catch {
    return true // a tool that cannot tell is not believed
  }
}
