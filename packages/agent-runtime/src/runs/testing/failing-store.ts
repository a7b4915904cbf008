import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'

/** Which calls of a store fail, and how. */
export interface Failures {
  readonly verb:
    | 'insertRun'
    | 'saveRunStep'
    | 'saveEffect'
    | 'finishRun'
    | 'findRun'
    | 'listRuns'
    | 'listRunEvents'
    | 'reserveBudget'
    | 'settleBudget'
  /** Number of the first call that fails, from 1. */
  readonly at: number
  /** How many fail, one after the other. @default 1 */
  readonly times?: number
  /** Whether what was asked for is done all the same. */
  readonly when: 'before' | 'behind'
  /** @default a `storage_error` that may pass */
  readonly error?: () => Error
}

/** A `storage_error` that may pass. */
export const passingFailure = () =>
  new RuntimeError('storage_error', 'Writing failed: another process holds it.', { retryable: true })

/** A store of which some calls fail. `count`: calls of that verb so far. */
export function createFailingStore(inner: RuntimeStore, { verb, at, times = 1, when, error }: Failures) {
  let count = 0
  const call = inner[verb] as (...given: unknown[]) => Promise<unknown>
  const failing = async (...given: unknown[]) => {
    count += 1
    const isOne = count >= at && count < at + times
    if (isOne && when === 'before') throw (error ?? passingFailure)()
    const answer = await call(...given)
    if (isOne) throw (error ?? passingFailure)()
    return answer
  }
  return { store: { ...inner, [verb]: failing } as RuntimeStore, count: () => count }
}
