import type { Json } from '@homeward/contract/agent-platform'
import type { InnerCall, ToolCallPart, ToolResult } from '../../ports/message.ts'
import type { EffectOutcome, InnerEffect, StoredEffect } from '../../store/ports/effect.ts'
import type { ProgramInput } from '../../tools/code/program-messages.ts'
import { hashArgs } from '../calls/effect-ledger.ts'
import type { Run } from '../loop/run.ts'
import { isGivenUp } from '../run-interrupts.ts'

/** Characters of all results of a program, as the ledger has them. */
const maxRecordedChars = 32_000_000
/** Characters of results that stay with the `run_code` call, for people. Larger ones are left out. */
const maxShownChars = 1_000_000

/** An entry of the ledger for a call of a program. */
export type InnerEntry = StoredEffect & { readonly inner: InnerEffect }

/** Outcome of an ended call, as the program receives it. */
export type Settled = Omit<Extract<ProgramInput, { kind: 'settle' }>, 'kind'>

/** Ledger entries of one program, earlier and new. */
export interface ProgramLedger {
  /** When the program began for the first time, in milliseconds since 1970. */
  readonly begunAt: number
  /** Notes a call that the program makes. @throws {Error} if the ledger has another call in its place */
  open(index: number, tool: string, args: Json): InnerEntry
  /** Whether a call has its entry from before. */
  isRecorded(entry: InnerEntry): boolean
  /** Replaces an entry, without storing it. */
  set(entry: InnerEntry): void
  /** Stores an entry. Of a run that was aborted and ends here, its end holds the outcome. */
  save(entry: InnerEntry): Promise<void>
  /** Stores how a call ended, and its place among the outcomes. @throws {Error} if all results are too large together */
  end(entry: InnerEntry, outcome: EffectOutcome): Promise<void>
  /**
   * The next of the recorded outcomes, in their order.
   *
   * @throws {Error} if the program has not made the call
   */
  recalled(): InnerEntry | undefined
  settledOf(index: number): Settled
  /** Calls that have ended, in their order. */
  shown(): InnerCall[]
  /** Entries for the step with which the run waits. */
  kept(): StoredEffect[]
  /** Recorded calls that the program has not made. */
  missed(): InnerEntry[]
}

/** Error of a program that differs from the recorded one. */
export const differs = () =>
  new Error(
    'The program ran differently when it was resumed, so it was stopped. Its earlier calls were made. Write it so that it depends ' +
      'only on the results of its calls',
  )

/** @param known what the ledger has of calls of this program */
export function createProgramLedger(
  run: Run,
  program: ToolCallPart,
  key: string,
  known: readonly StoredEffect[],
): ProgramLedger {
  const recorded = new Map(known.filter(isInner).map((entry) => [entry.inner.index, entry]))
  const replay = [...recorded.values()].filter(hasEnded).toSorted((a, b) => orderOf(a) - orderOf(b))
  const begunAt = recorded.values().next().value?.inner.begunAt ?? run.context.now()
  const entries = new Map<number, InnerEntry>()
  let lastAt = replay.at(-1)?.inner.endedAt ?? begunAt
  let nextOrder = orderOf(replay.at(-1)) + 1
  let chars = 0
  const set = (entry: InnerEntry) => void entries.set(entry.inner.index, entry)
  const inOrder = () => [...entries.values()].toSorted((a, b) => a.inner.index - b.inner.index)

  async function save(entry: InnerEntry): Promise<void> {
    set(entry)
    if (run.signal.aborted && !isGivenUp(run.signal.reason)) return
    try {
      await run.writer.keepInner(entry)
    } catch (error) {
      if (isGivenUp(error)) run.own.controller.abort(error)
      throw error
    }
  }

  return {
    begunAt,
    open(index, tool, args) {
      const before = recorded.get(index)
      const argsHash = hashArgs(args)
      if (before && (before.tool !== tool || before.argsHash !== argsHash)) throw differs()
      const id = { key: `${key}/${index}`, callId: `${program.id}/${index}` }
      const inner = { of: program.id, index, args, begunAt }
      const entry: InnerEntry = before ?? { ...id, tool, argsHash, repeat: 'safe', inner }
      set(entry)
      return entry
    },
    isRecorded: ({ inner }) => recorded.has(inner.index),
    set,
    save,
    async end(entry, outcome) {
      const { inner, ...others } = withoutWait(entry)
      lastAt = Math.max(lastAt, run.context.now())
      const saved = save({ ...others, outcome, inner: { ...inner, order: nextOrder, endedAt: lastAt } })
      nextOrder += 1
      chars += JSON.stringify(outcome.result).length
      await saved
      if (chars > maxRecordedChars)
        throw new Error(`The program was stopped: its calls gave more than ${maxRecordedChars} characters`)
    },
    recalled() {
      const next = replay.shift()
      if (next && !entries.has(next.inner.index)) throw differs()
      return next
    },
    settledOf(index) {
      const { outcome, inner } = entries.get(index) ?? {}
      const { result = null, error } = outcome?.result ?? {}
      const now = inner?.endedAt ?? lastAt
      return { index, text: error ?? JSON.stringify(result), hasFailed: error !== undefined, now }
    },
    shown: () => toShown(inOrder()),
    kept: () => inOrder().map(toKept),
    missed: () => [...recorded.values()].filter(({ inner }) => !entries.has(inner.index)),
  }
}

const isInner = (effect: StoredEffect): effect is InnerEntry => effect.inner !== undefined

/** Whether the program has got the outcome of a call, or will get it next. */
export const hasEnded = ({ inner }: InnerEntry): boolean => inner.order !== undefined

const orderOf = (entry: InnerEntry | undefined) => entry?.inner.order ?? -1

/** An entry of a call that waits no longer. */
export function withoutWait(entry: InnerEntry): InnerEntry {
  const { isParked: _, ...others } = entry
  const { isAsked: __, ...inner } = entry.inner
  return { ...others, inner }
}

/** An entry as the step has it with which the run waits. That step holds the events too. */
const toKept = (entry: InnerEntry): StoredEffect =>
  entry.outcome ? { ...entry, inner: { ...entry.inner, isTold: true } } : { ...entry, isParked: true }

/** A call whose result is left out cannot be undone. */
function withoutUndo(result: ToolResult): ToolResult {
  const { undo: _, ...others } = result
  return others
}

function toShown(entries: readonly InnerEntry[]): InnerCall[] {
  let left = maxShownChars
  return entries.flatMap(({ outcome, inner: { args } }): readonly InnerCall[] => {
    if (!outcome) return []
    const { result, ...others } = outcome.result
    if (result === undefined) return [{ ...others, args }]
    const size = JSON.stringify(result).length
    if (size > left) return [{ ...withoutUndo(others), args, result: { truncated: true, chars: size } }]
    left -= size
    return [{ ...others, args, result }]
  })
}
