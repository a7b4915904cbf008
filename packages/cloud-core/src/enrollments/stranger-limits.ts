import { rateLimited } from '@homeward/contract/handler'
import { createTokenBuckets, toLimitKey } from '@homeward/kit'
import { createWindowCounts } from '../limits/window-counts.ts'

const maxKnown = 200_000

/** Limits of what callers may try whom nobody knows yet (C28): by address, in this process. */
export interface StrangerLimits {
  /**
   * Throws 429 for a caller that has tried too much, before the storage is asked. What was right once, by the hash of its
   * secret, may always ask; anything else has a few more chances, so that neighbors do not lock each other out.
   */
  assertMayAsk(address: string, hash: string | undefined, nowMs: number): void
  /** Notes a hash that is right. */
  noteRight(hash: string): void
  /** Counts one that is new or wrong; throws 429 when it is one too many. */
  count(address: string, nowMs: number): void
}

/** Creates the limits: 60 a minute for each address. */
export function createStrangerLimits(): StrangerLimits {
  const tries = createWindowCounts(60, 60_000)
  const moreChances = createTokenBuckets({ perSecond: 5, burst: 20 })
  const right = new Set<string>()

  const refuse = (waitMs: number) =>
    rateLimited('Too many new or failed enrollments from this address. Try again later.', waitMs)

  return {
    assertMayAsk(address, hash, nowMs) {
      const key = toLimitKey(address)
      if ((hash !== undefined && right.has(hash)) || tries.has(key, nowMs)) return
      if (moreChances.take(key, nowMs) > 0) throw refuse(1000)
    },
    noteRight(hash) {
      if (right.size >= maxKnown && !right.has(hash)) right.delete(right.keys().next().value!)
      right.add(hash)
    },
    count(address, nowMs) {
      const waitMs = tries.take(toLimitKey(address), nowMs)
      if (waitMs > 0) throw refuse(waitMs)
    },
  }
}
