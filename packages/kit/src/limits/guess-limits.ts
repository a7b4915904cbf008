import { createTokenBuckets } from './token-buckets.ts'

/** Limits how often an address may guess API keys or API tokens. Each kind of secret has its own limits. */
export interface GuessLimits {
  /**
   * Whether the store may be queried for an unknown secret. A secret that worked before is always allowed, so clients
   * behind one address do not lock each other out.
   */
  mayLookUp(hash: string, address: string, nowMs: number): boolean
  /** Records a secret that the store does not contain. */
  noteUnknown(hash: string, nowMs: number): void
  /**
   * Counts a failure of an address. Returns 0 within the limit, otherwise the milliseconds until the next attempt is
   * allowed.
   */
  fail(address: string, nowMs: number): number
}

/**
 * Creates limits for guesses: 60 failures at once per address, then 1 per second.
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

const maxKeys = 100_000
/** Shorter than any pause that a refused caller is told to make. */
const returnsAfterMs = 900
/** How long a key that was looked up in vain gets no second chance. */
const unknownMs = 10 * 60 * 1000

/** Keys that were refused unseen, because too many others from their address had failed. */
interface ReturningKeys {
  /** Notes a key that was refused without a look-up. */
  noteRefused(hash: string, nowMs: number): void
  /** Notes a key that the storage does not know. */
  noteUnknown(hash: string, nowMs: number): void
  /** Whether the key was refused unseen before and comes back after a pause, as a caller does that heeds `Retry-After`. */
  isReturning(hash: string, nowMs: number): boolean
}

/**
 * Tells devices from floods where nothing is known about a key yet, such as after a restart. Who guesses never sends the
 * same key twice; a device has only the one. A key that was found to be unknown gets no second chance for a while, so
 * that a fleet with dead keys does not stand in the way of its neighbours either.
 *
 * Keeps the last 100,000 keys: at 1,000 guesses a second a device has 100 s to come back.
 */
function createReturningKeys(): ReturningKeys {
  /** Time of the first refusal, or until when the key is known to be unknown, as a negative number. */
  const seen = new Map<string, number>()

  function set(hash: string, value: number): void {
    if (seen.size >= maxKeys && !seen.has(hash)) seen.delete(seen.keys().next().value!)
    seen.set(hash, value)
  }

  return {
    noteRefused(hash, nowMs) {
      const value = seen.get(hash)
      if (value === undefined || (value < 0 && -value <= nowMs)) set(hash, nowMs)
    },
    noteUnknown: (hash, nowMs) => set(hash, -(nowMs + unknownMs)),
    isReturning(hash, nowMs) {
      const value = seen.get(hash)
      return value !== undefined && value >= 0 && nowMs - value >= returnsAfterMs
    },
  }
}
