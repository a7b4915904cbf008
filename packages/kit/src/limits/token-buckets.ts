/** How fast a bucket refills, and how much it holds. */
export interface BucketOptions {
  /** Tokens a second. */
  readonly perSecond: number
  /** Tokens of a full bucket: what may come at once. */
  readonly burst: number
  /** Buckets kept. At the limit the oldest is forgotten, which is the same as refilling it. @default 200,000 */
  readonly maxKeys?: number
}

/** Token buckets by key. */
export interface TokenBuckets {
  /** Takes one token: 0 when there was one, else the wait in milliseconds until there is. */
  take(key: string, nowMs: number): number
  /** Whether a token is there, without taking it. */
  has(key: string, nowMs: number): boolean
}

interface Bucket {
  tokens: number
  atMs: number
}

/**
 * Creates token buckets that live in this process.
 *
 * @example
 *   const buckets = createTokenBuckets({ perSecond: 1, burst: 60 })
 *   const waitMs = buckets.take('203.0.113.7', Date.now())
 *   if (waitMs > 0) console.log(`Come back in ${Math.ceil(waitMs / 1000)} s.`)
 */
export function createTokenBuckets({ perSecond, burst, maxKeys = 200_000 }: BucketOptions): TokenBuckets {
  const buckets = new Map<string, Bucket>()

  function refill(key: string, nowMs: number): Bucket {
    let bucket = buckets.get(key)
    if (!bucket) {
      if (buckets.size >= maxKeys) buckets.delete(buckets.keys().next().value!)
      bucket = { tokens: burst, atMs: nowMs }
      buckets.set(key, bucket)
    }
    // A clock that jumps back adds nothing and takes nothing.
    const elapsedMs = Math.max(0, nowMs - bucket.atMs)
    bucket.tokens = Math.min(burst, bucket.tokens + (elapsedMs * perSecond) / 1000)
    bucket.atMs = nowMs
    return bucket
  }

  return {
    take(key, nowMs) {
      const bucket = refill(key, nowMs)
      if (bucket.tokens >= 1) {
        bucket.tokens -= 1
        return 0
      }
      return Math.ceil(((1 - bucket.tokens) * 1000) / perSecond)
    },
    has: (key, nowMs) => refill(key, nowMs).tokens >= 1,
  }
}
