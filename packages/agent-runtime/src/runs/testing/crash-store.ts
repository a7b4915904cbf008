import type { RuntimeStore } from '../../store/ports/runtime-store.ts'

/** Verbs that change something of runs. */
const writes: ReadonlySet<string> = new Set([
  'insertRun',
  'saveRunStep',
  'saveEffect',
  'finishRun',
  'claimRuns',
  'releaseRuns',
  'decideApproval',
  'resumeRun',
  'reserveBudget',
  'settleBudget',
])

/** A store that a process sees which ends at one of its writes: see {@link createCrashStore}. */
export interface CrashStore {
  readonly store: RuntimeStore
  /** Writes that were asked for. */
  readonly count: () => number
  /** Whether the process has ended. */
  readonly isGone: () => boolean
  /** Resolves when it has. */
  readonly gone: Promise<void>
}

/**
 * A store whose process ends at write number `at`, from 1: before it is made, or behind it, when nobody hears of it any
 * more. From then on nothing is answered.
 */
export function createCrashStore(inner: RuntimeStore, at: number, when: 'before' | 'behind'): CrashStore {
  let count = 0
  let isGone = false
  const { promise: gone, resolve } = Promise.withResolvers<void>()
  const never = new Promise<never>(() => {})
  const end = () => {
    isGone = true
    resolve()
    return never
  }
  const wrapped = Object.entries(inner).map(([verb, value]: [string, unknown]) => {
    if (typeof value !== 'function' || verb === 'subscribe') return [verb, value]
    return [
      verb,
      async (...given: unknown[]): Promise<unknown> => {
        if (isGone) return never
        if (!writes.has(verb)) return Reflect.apply(value, inner, given)
        count += 1
        if (count === at && when === 'before') return end()
        const answer: unknown = await Reflect.apply(value, inner, given)
        return isGone || (count >= at && when === 'behind') ? end() : answer
      },
    ]
  })
  // the same verbs, with what they give
  return {
    store: Object.fromEntries(wrapped) as RuntimeStore,
    count: () => count,
    isGone: () => isGone,
    gone,
  }
}
