import { untilAborted } from '@homeward/kit'
import type { FileReference } from '../../ports/file.ts'
import { startLimit } from '../../concurrency/start-limit.ts'
import { cut } from '../../json/to-json.ts'
import type { Guard, GuardContext, GuardDecision, MaybeArray } from '../../ports/guard.ts'
import type { Run } from '../loop/run.ts'

/** What guards made of a value. */
type GuardOutcome<Value> =
  | { readonly kind: 'passed'; readonly value: Value; readonly isReplaced: boolean }
  | { readonly kind: 'refused'; readonly reason: string }
  /** A guard decided nothing; the log says why. */
  | { readonly kind: 'failed'; readonly reason: string }

/** A value and who checks it. */
interface GuardQuestion<Value, Replacement> {
  readonly guards: MaybeArray<Guard<Value, Replacement>>
  /** What is checked, for people: `input`, `output`, a tool call. */
  readonly subject: string
  /** The same for each repeat of the question in this run. */
  readonly key: string
  readonly value: Value
  /** Gives each guard a copy of the value. */
  readonly copy: (value: Value) => Value
  /** Puts a replacement in place. @throws {Error} that says what is wrong with it. */
  readonly apply: (value: Value, replacement: Replacement) => Value | Promise<Value>
}

const maxReasonChars = 1000

/**
 * Asks guards about a value, one after the other. Nothing passes that a guard did not decide about in its time.
 *
 * @throws {unknown} the reason of the run's signal.
 */
export async function askGuards<Value, Replacement>(
  run: Run,
  question: GuardQuestion<Value, Replacement>,
): Promise<GuardOutcome<Value>> {
  let { value } = question
  let isReplaced = false
  for (const guard of listOf(question.guards)) {
    try {
      const decision = await decide(run, guard, question, value)
      if (decision === 'allow') continue
      if ('refuse' in decision) {
        return { kind: 'refused', reason: cut(run.redact.text(decision.refuse), maxReasonChars) }
      }
      value = await question.apply(value, decision.replace)
      isReplaced = true
    } catch (error) {
      run.signal.throwIfAborted()
      const reason = run.redact.text(error instanceof GuardFault ? error.message : 'it threw an error')
      const { subject } = question
      run.context.logger.error('A guard failed', {
        runId: run.row.id,
        subject,
        error: run.redact.text(String(error)),
      })
      return { kind: 'failed', reason }
    }
  }
  return { kind: 'passed', value, isReplaced }
}

/** What is wrong with a guard or with what it decided. The message may be shown to callers. */
export class GuardFault extends Error {
  override readonly name = 'GuardFault'
}

/** Guards as a list. */
const listOf = <Each>(guards: MaybeArray<Each>): readonly Each[] =>
  Array.isArray(guards) ? (guards as readonly Each[]) : [guards as Each] // a guard is a function

async function decide<Value, Replacement>(
  run: Run,
  guard: Guard<Value, Replacement>,
  { key, copy }: Pick<GuardQuestion<Value, Replacement>, 'key' | 'copy'>,
  value: Value,
): Promise<GuardDecision<Replacement>> {
  const { timeoutMs } = run.context.guards
  const limit = startLimit(timeoutMs, run.signal)
  try {
    limit.signal.throwIfAborted()
    const asked = toGuardContext(run, key, limit.signal)
    const work = (async () => guard(copy(value), asked))()
    return toDecision(await untilAborted(work, limit.signal, () => run.context.detached.add(work)))
  } catch (error) {
    if (limit.isOver()) throw new GuardFault(`it did not decide within ${timeoutMs} ms`)
    throw error
  } finally {
    limit.end()
  }
}

/** A host without types may give anything. */
function toDecision<Replacement>(given: GuardDecision<Replacement>): GuardDecision<Replacement> {
  const decision: unknown = given
  if (decision === 'allow') return given
  if (typeof decision === 'object' && decision !== null && Object.keys(decision).length === 1) {
    if ('refuse' in decision && typeof decision.refuse === 'string') return given
    if ('replace' in decision && decision.replace !== undefined) return given
  }
  throw new GuardFault('it must return "allow", { replace } or { refuse: reason }')
}

const toGuardContext = (run: Run, key: string, signal: AbortSignal): GuardContext => ({
  ...run.about(),
  idempotencyKey: `${run.row.id}:${key}`,
  signal,
})

/** Files as a guard gets them. */
export const copyFiles = (files: readonly FileReference[]): FileReference[] =>
  files.map((file) => ({ ...file }))
