import { createReturningKeys } from './returning-keys.ts'
import { createTokenBuckets } from './token-buckets.ts'

/** Bounds what an address may guess, of API keys or of API tokens, each with limits of its own. */
export interface GuessLimits {
  /**
   * Whether the storage may be asked for a secret that nothing is known about. A secret that worked before always may:
   * neighbors behind one address do not lock each other out.
   */
  mayLookUp(hash: string, address: string, nowMs: number): boolean
  /** Notes a secret that the storage does not know. */
  noteUnknown(hash: string, nowMs: number): void
  /** Counts a failure of an address: 0 if it is within the limit, else the milliseconds until it is again. */
  fail(address: string, nowMs: number): number
}

/**
 * Creates the limits: 60 failures at once per address, then 1 per second.
 *
 * @example
 *   const known = new Set<string>()
 *   const guesses = createGuessLimits((hash) => known.has(hash))
 *   if (!guesses.mayLookUp(hash, address, Date.now())) throw new Error('Too many unknown keys. Try again later.')
 */
export function createGuessLimits(wasKnown: (hash: string) => boolean): GuessLimits {
  const failures = createTokenBuckets({ perSecond: 1, burst: 60 })
  const secondChances = createTokenBuckets({ perSecond: 5, burst: 20 })
  const returning = createReturningKeys()
  return {
    mayLookUp(hash, address, nowMs) {
      if (wasKnown(hash) || failures.has(address, nowMs)) return true
      if (returning.isReturning(hash, nowMs) && secondChances.take(address, nowMs) === 0) return true
      returning.noteRefused(hash, nowMs)
      return false
    },
    noteUnknown: (hash, nowMs) => returning.noteUnknown(hash, nowMs),
    fail: (address, nowMs) => failures.take(address, nowMs),
  }
}
