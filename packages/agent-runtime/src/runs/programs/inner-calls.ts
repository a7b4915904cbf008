import type { Json } from '@homeward/contract/agent-platform'
import PQueue from 'p-queue'
import { hasRoundedInteger, isDeep, toWellFormed } from '../../json/to-json.ts'
import type { InnerCall, ToolCallPart } from '../../ports/message.ts'
import { isIdempotent, type Tool } from '../../ports/tool.ts'
import type { EffectOutcome, InnerEffect, ParkedEffect, StoredEffect } from '../../store/ports/effect.ts'
import type { ProgramCall, ProgramInput } from '../../tools/code/program-messages.ts'
import { announceCall, finishCall } from '../calls/call-events.ts'
import { hashArgs } from '../calls/effect-ledger.ts'
import { makeCall, tellOthers } from '../calls/make-calls.ts'
import { planCalls, type KnownCalls } from '../calls/plan-calls.ts'
import type { Run } from '../loop/run.ts'
import { isGivenUp, runGoesOn } from '../run-interrupts.ts'
import type { Asking } from '../waits/ask.ts'

/** Calls of a program that are made at a time. */
const maxAtOnce = 16
/** Characters of all results of a program, as the ledger has them. */
const maxRecordedChars = 32_000_000
/** Characters of results that are kept with the `run_code` call, for people. Larger ones are left out. */
const maxKeptChars = 1_000_000

/** What a program gets of a call that has ended. */
type Settled = Omit<Extract<ProgramInput, { kind: 'settle' }>, 'kind'>

/** An entry of the ledger for a call of a program. */
type InnerEntry = StoredEffect & { readonly inner: InnerEffect }

/** The calls of one program: those that the ledger has, and those that are made now. */
export interface InnerCalls {
  /** When the program began for the first time, in milliseconds since 1970. */
  readonly begunAt: number
  /** Begins a call, unless the ledger knows how it ended. @throws {Error} if the ledger has another call in its place */
  begin(call: ProgramCall): void
  /**
   * The next outcome for the program, in the order in which it gets them in each process.
   *
   * @returns undefined if no open call can end here
   * @throws {unknown} if the run does not continue here, or if an entry could not be stored
   */
  next(): Promise<Settled | undefined>
  /** Resolves once no call is under way. */
  settled(): Promise<void>
  /** Calls that have ended, in their order. */
  ended(): InnerCall[]
  /** Tools that may have been called before a crash, and must not be called twice. */
  uncertain(): string[]
  /** Whether the ledger has calls that the program has not made. */
  hasMissed(): boolean
  /** Hands over what calls wait for. @returns whether there is anything */
  park(asking: Asking): boolean
}

/** What a program fails with that is not the one that the ledger is about. */
export const differs = () =>
  new Error(
    'The program ran differently when it was resumed, so it was stopped. Its earlier calls were made. Write it so that it depends on ' +
      'nothing but the results of its calls',
  )

/** @param known what the ledger has of calls of this program */
export function createInnerCalls(
  run: Run,
  program: ToolCallPart,
  key: string,
  known: readonly StoredEffect[],
): InnerCalls {
  const recorded = new Map(known.filter(isInner).map((entry) => [entry.inner.index, entry]))
  const replay = [...recorded.values()].filter(hasOrder).toSorted((a, b) => orderOf(a) - orderOf(b))
  const begunAt = recorded.values().next().value?.inner.begunAt ?? run.context.now()
  const entries = new Map<number, InnerEntry>()
  const queue = new PQueue({ concurrency: maxAtOnce })
  const live: { readonly index: number; readonly saved: Promise<void> }[] = []
  const waits: (Pick<Asking, 'opens' | 'suspended'> & { readonly index: number })[] = []
  const uncertain: string[] = []
  let lastAt = replay.at(-1)?.inner.endedAt ?? begunAt
  let nextOrder = orderOf(replay.at(-1)) + 1
  let recordedChars = 0
  let failure: { readonly error: unknown } | undefined
  let wake: (() => void) | undefined

  /** Stores an entry. Of a run that was aborted and ends here, its end holds the outcome. */
  async function keep(entry: InnerEntry): Promise<void> {
    entries.set(entry.inner.index, entry)
    if (run.signal.aborted && !isGivenUp(run.signal.reason)) return
    try {
      await run.writer.keepInner(entry)
    } catch (error) {
      if (isGivenUp(error)) run.own.controller.abort(error)
      throw error
    }
  }

  function end(entry: InnerEntry, outcome: EffectOutcome): Promise<void> {
    const { inner, ...others } = withoutWait(entry)
    lastAt = Math.max(lastAt, run.context.now())
    const saved = keep({ ...others, outcome, inner: { ...inner, order: nextOrder, endedAt: lastAt } })
    nextOrder += 1
    recordedChars += JSON.stringify(outcome.result).length
    if (recordedChars > maxRecordedChars)
      failure ??= {
        error: new Error(
          `The program was stopped: the results of its calls have more than ${maxRecordedChars} characters`,
        ),
      }
    live.push({ index: entry.inner.index, saved })
    wake?.()
    return saved
  }

  async function make(entry: InnerEntry, call: ToolCallPart): Promise<void> {
    if (entry.outcome) return end(entry, entry.outcome)
    if (run.own.isLeaving) throw runGoesOn()
    run.signal.throwIfAborted()
    const before: KnownCalls = {
      verdicts: run.known?.verdicts ?? new Map(),
      ledger: recorded.has(entry.inner.index) && !entry.inner.isAsked ? new Map([[call.id, entry]]) : new Map(),
    }
    const plan = await planCalls(run, [call], before, entry.key)
    tellOthers(run, [call], plan)
    const [result] = plan.results
    if (result) return end(entry, { key: entry.key, result, untrusted: false })
    uncertain.push(...plan.uncertain.map(() => entry.tool))
    const { index } = entry.inner
    if (plan.opens.length > 0) {
      entries.set(index, toAsked(entry))
      waits.push({ index, opens: plan.opens, suspended: [] })
    }
    for (const { call: planned } of plan.made) {
      announceCall(run, planned.checked.call)
      const begun = toBegun(entry, planned.checked.tool)
      if (begun.repeat === 'once') await keep(begun)
      const keepOutcome = (outcome: EffectOutcome | ParkedEffect) => {
        if ('isParked' in outcome) return keep({ ...begun, isParked: true })
        return outcome.isUnchecked ? keep({ ...begun, outcome }) : end(begun, outcome)
      }
      // What the program passes on may come from what it has just read.
      const group = { tainted: run.progress.tainted, open: Infinity, keep: keepOutcome }
      const made = await makeCall(run, planned, group)
      if ('open' in made) throw run.signal.aborted ? run.signal.reason : runGoesOn()
      if ('result' in made) continue
      waits.push({ index, opens: [...made.parked], suspended: [...made.suspended] })
    }
  }

  /** Tells of a call that ended before a crash, whose events were lost with the process. */
  function recall({ outcome, callId, tool, inner }: InnerEntry): void {
    if (!outcome) return
    if (outcome.untrusted) run.taint()
    if (inner.isTold) return
    announceCall(run, { type: 'tool_call', id: callId, name: tool, args: inner.args })
    finishCall(run, outcome.result, 0)
  }

  function toSettled(index: number): Settled {
    const { outcome, inner } = entries.get(index) ?? {}
    const { result = null, error } = outcome?.result ?? {}
    const now = inner?.endedAt ?? lastAt
    return { index, text: error ?? JSON.stringify(result), hasFailed: error !== undefined, now }
  }

  return {
    begunAt,
    begin({ index, tool, args: text }) {
      const { args, refused } = readArguments(text)
      const known = recorded.get(index)
      const argsHash = hashArgs(args)
      if (known && (known.tool !== tool || known.argsHash !== argsHash)) throw differs()
      const id = `${program.id}/${index}`
      const entry: InnerEntry = known ?? {
        key: `${key}/${index}`,
        callId: id,
        tool,
        argsHash,
        repeat: 'safe',
        inner: { of: program.id, index, args, begunAt },
      }
      entries.set(index, entry)
      if (hasOrder(entry)) return
      const call: ToolCallPart = {
        type: 'tool_call',
        id,
        name: tool,
        args,
        ...(refused !== undefined && { refused }),
      }
      queue
        .add(() => make(entry, call))
        .catch((error: unknown) => {
          failure ??= { error }
        })
        .finally(() => wake?.())
    },
    async next() {
      const first = replay.shift()
      if (first) {
        if (!entries.has(first.inner.index)) throw differs()
        recall(first)
        return toSettled(first.inner.index)
      }
      for (;;) {
        if (failure) throw failure.error
        const ended = live.shift()
        if (ended) {
          await ended.saved
          return toSettled(ended.index)
        }
        if (queue.size + queue.pending === 0) return undefined
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    settled: () => queue.onIdle(),
    ended() {
      let left = maxKeptChars
      return [...entries.values()].toSorted(byIndex).flatMap(({ outcome, inner: { args } }) => {
        if (!outcome) return []
        const { result, ...others } = outcome.result
        if (result === undefined) return { ...others, args }
        const size = JSON.stringify(result).length
        const isKept = size <= left
        if (isKept) left -= size
        return { ...others, args, result: isKept ? result : { truncated: true, chars: size } }
      })
    },
    uncertain() {
      const unmade = [...recorded.values()].filter(
        ({ repeat, isParked, outcome, inner }) =>
          repeat === 'once' && !isParked && !outcome && !entries.has(inner.index),
      )
      return [...uncertain, ...unmade.map(({ tool }) => tool)]
    },
    hasMissed: () => [...recorded.keys()].some((index) => !entries.has(index)),
    park(asking) {
      if (waits.length === 0) return false
      for (const { opens, suspended } of waits.toSorted(byNumber)) {
        asking.opens.push(...opens)
        asking.suspended.push(...suspended)
      }
      asking.kept.push(...[...entries.values()].toSorted(byIndex).map(toKept))
      return true
    },
  }
}

const isInner = (effect: StoredEffect): effect is InnerEntry => effect.inner !== undefined
const hasOrder = ({ inner }: InnerEntry) => inner.order !== undefined
const orderOf = (entry: InnerEntry | undefined) => entry?.inner.order ?? -1
const byIndex = ({ inner }: InnerEntry, other: InnerEntry) => byNumber(inner, other.inner)
const byNumber = (one: { index: number }, other: { index: number }) => one.index - other.index

function withoutWait({ isParked: _, inner: { isAsked: __, ...inner }, ...others }: InnerEntry): InnerEntry {
  return { ...others, inner }
}

const toBegun = (entry: InnerEntry, tool: Tool): InnerEntry => ({
  ...withoutWait(entry),
  repeat: isIdempotent(tool) ? 'safe' : 'once',
})

const toAsked = (entry: InnerEntry): InnerEntry => ({ ...entry, inner: { ...entry.inner, isAsked: true } })

/** An entry as the step has it with which the run waits. That step holds the events too. */
const toKept = (entry: InnerEntry): StoredEffect =>
  entry.outcome ? { ...entry, inner: { ...entry.inner, isTold: true } } : { ...entry, isParked: true }

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
  return { args, refused: 'The arguments have an integer beyond 2^53, which is not exact. Pass it as a string' }
}
