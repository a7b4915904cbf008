import type { Json } from '@homeward/contract/agent-platform'
import PQueue from 'p-queue'
import { hasRoundedInteger, isDeep, toWellFormed } from '../../json/to-json.ts'
import type { InnerCall, ToolCallPart } from '../../ports/message.ts'
import { isIdempotent } from '../../ports/tool.ts'
import type { EffectOutcome, ParkedEffect, StoredEffect } from '../../store/ports/effect.ts'
import type { ProgramCall } from '../../tools/code/program-messages.ts'
import { announceCall, finishCall } from '../calls/call-events.ts'
import { isUncertain } from '../calls/effect-ledger.ts'
import { makeCall, tellOthers } from '../calls/make-calls.ts'
import { planCalls, type KnownCalls, type PlannedCall } from '../calls/plan-calls.ts'
import type { Run } from '../loop/run.ts'
import { runGoesOn } from '../run-interrupts.ts'
import type { Asking } from '../waits/ask.ts'
import {
  createProgramLedger,
  hasEnded,
  type InnerEntry,
  type ProgramLedger,
  type Settled,
  withoutWait,
} from './program-ledger.ts'

/** Calls of a program that are made at a time. */
const maxAtOnce = 16

/** The calls of one program: those that the ledger has, and those that are made now. */
export interface InnerCalls extends Pick<ProgramLedger, 'begunAt'> {
  /** Begins a call, unless the ledger knows how it ended. @throws {Error} if the ledger has another call in its place */
  begin(call: ProgramCall): void
  /**
   * The next outcome for the program. It gets them in the same order in each process.
   *
   * @returns undefined if no open call can end here
   * @throws {unknown} if the run does not continue here, or if an entry could not be stored
   */
  next(): Promise<Settled | undefined>
  /** Resolves once no call is under way. */
  settled(): Promise<void>
  /** Calls that have ended, in their order. */
  shown(): InnerCall[]
  /** Tools that may have been called before a crash, and must not be called twice. */
  uncertain(): string[]
  /** Whether the ledger has calls that the program has not made. */
  hasMissed(): boolean
  /** Hands over what calls wait for. @returns whether there is anything */
  park(asking: Asking): boolean
}

/** Outcomes of a program's calls in this process. */
interface InnerState {
  readonly run: Run
  readonly ledger: ProgramLedger
  /** Numbers of calls that have ended, in the order in which the program gets their outcomes. */
  readonly ended: { readonly index: number; readonly saved: Promise<void> }[]
  readonly waits: (Pick<Asking, 'opens' | 'suspended'> & { readonly index: number })[]
  readonly uncertain: string[]
}

/** @param known what the ledger has of calls of this program */
export function createInnerCalls(
  run: Run,
  program: ToolCallPart,
  key: string,
  known: readonly StoredEffect[],
): InnerCalls {
  const ledger = createProgramLedger(run, program, key, known)
  const state: InnerState = { run, ledger, ended: [], waits: [], uncertain: [] }
  const queue = new PQueue({ concurrency: maxAtOnce })
  let failure: { readonly error: unknown } | undefined
  let wake = () => {}

  return {
    begunAt: ledger.begunAt,
    begin({ index, tool, args: text }) {
      const { args, refused } = readArguments(text)
      const entry = ledger.open(index, tool, args)
      if (hasEnded(entry)) return
      const call = { ...toCall(entry), ...(refused !== undefined && { refused }) }
      const fail = (error: unknown) => (failure ??= { error })
      void queue
        .add(() => make(state, entry, call, () => wake()))
        .catch(fail)
        .finally(() => wake())
    },
    async next() {
      const recalled = ledger.recalled()
      if (recalled) {
        recall(run, recalled)
        return ledger.settledOf(recalled.inner.index)
      }
      for (;;) {
        if (failure) throw failure.error
        const ended = state.ended.shift()
        if (ended) {
          await ended.saved
          return ledger.settledOf(ended.index)
        }
        if (queue.size + queue.pending === 0) return undefined
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    settled: () => queue.onIdle(),
    shown: ledger.shown,
    uncertain: () => [
      ...state.uncertain,
      ...ledger
        .missed()
        .filter(isUncertain)
        .map(({ tool }) => tool),
    ],
    hasMissed: () => ledger.missed().length > 0,
    park(asking) {
      if (state.waits.length === 0) return false
      for (const { opens, suspended } of state.waits.toSorted((a, b) => a.index - b.index)) {
        asking.opens.push(...opens)
        asking.suspended.push(...suspended)
      }
      asking.kept.push(...ledger.kept())
      return true
    },
  }
}

const toCall = ({ callId: id, tool: name, inner }: InnerEntry): ToolCallPart => ({
  type: 'tool_call',
  id,
  name,
  args: inner.args,
})

/** Makes a call, or finds out why it is not made, and stores how it ended. */
async function make(
  state: InnerState,
  entry: InnerEntry,
  call: ToolCallPart,
  onEnd: () => void,
): Promise<void> {
  const { run, ledger } = state
  const { index, isAsked } = entry.inner
  const end = (own: InnerEntry, outcome: EffectOutcome) => {
    const saved = ledger.end(own, outcome)
    state.ended.push({ index, saved })
    onEnd()
    return saved
  }
  if (entry.outcome) {
    recall(run, entry) // it was found out after a crash
    return end(entry, entry.outcome)
  }
  if (run.own.isLeaving) throw runGoesOn()
  run.signal.throwIfAborted()
  const isKnown = ledger.isRecorded(entry) && !isAsked
  const before: KnownCalls = {
    verdicts: run.known?.verdicts ?? new Map(),
    ledger: new Map(isKnown ? [[call.id, entry]] : []),
  }
  const plan = await planCalls(run, [call], before, entry.key)
  tellOthers(run, [call], plan)
  const [result] = plan.results
  if (result) return end(entry, { key: entry.key, result, untrusted: false })
  if (plan.uncertain.length > 0) state.uncertain.push(entry.tool)
  if (plan.opens.length > 0) {
    ledger.set({ ...entry, inner: { ...entry.inner, isAsked: true } })
    state.waits.push({ index, opens: plan.opens, suspended: [] })
  }
  for (const { call: planned } of plan.made) await makeNow(state, entry, planned, end)
}

/** Makes a call that nothing stands against. */
async function makeNow(
  { run, ledger, waits }: InnerState,
  entry: InnerEntry,
  planned: PlannedCall,
  end: (entry: InnerEntry, outcome: EffectOutcome) => Promise<void>,
): Promise<void> {
  announceCall(run, planned.checked.call)
  const repeat = isIdempotent(planned.checked.tool) ? 'safe' : 'once'
  const begun: InnerEntry = { ...withoutWait(entry), repeat }
  if (repeat === 'once') await ledger.save(begun)
  const keep = (outcome: EffectOutcome | ParkedEffect) => {
    if ('isParked' in outcome) return ledger.save({ ...begun, isParked: true })
    return outcome.isUnchecked ? ledger.save({ ...begun, outcome }) : end(begun, outcome)
  }
  // What the program passes on may come from what it has just read, so the taint of this moment counts.
  const made = await makeCall(run, planned, { tainted: run.progress.tainted, open: Infinity, keep })
  if ('open' in made) throw run.signal.aborted ? run.signal.reason : runGoesOn()
  if ('result' in made) return
  waits.push({ index: entry.inner.index, opens: [...made.parked], suspended: [...made.suspended] })
}

/** Tells of a call that ended before a crash, whose events were lost with the process. */
function recall(run: Run, entry: InnerEntry): void {
  const { outcome, inner } = entry
  if (!outcome) return
  if (outcome.untrusted) run.taint()
  if (inner.isTold) return
  announceCall(run, toCall(entry))
  finishCall(run, outcome.result, 0)
}

/** Arguments that a program wrote, or why the call is not made. */
function readArguments(text: string): { readonly args: Json; readonly refused?: string } {
  const tooDeep = { args: {}, refused: 'The arguments are nested too deeply' }
  let args: Json
  try {
    args = JSON.parse(text, toWellFormed) as Json // the sandbox wrote JSON
  } catch {
    return tooDeep // no stack is left for it
  }
  if (isDeep(args)) return tooDeep
  if (!hasRoundedInteger(args)) return { args }
  return {
    args,
    refused: 'The arguments have an integer beyond 2^53, which is not exact. Pass it as a string',
  }
}
