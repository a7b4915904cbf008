/** Refill rate and capacity of a bucket. */
export interface BucketOptions {
  /** Tokens added per second. */
  readonly perSecond: number
  /** Capacity of a bucket: the number of requests that may arrive at once. */
  readonly burst: number
  /**
   * Maximum number of buckets. At the limit, the oldest bucket is removed, which has the effect of a refill.
   *
   * @default 200,000
   */
  readonly maxKeys?: number
}

/** Token buckets by key. */
export interface TokenBuckets {
  /** Takes one token. Returns 0 if a token was available, otherwise the milliseconds until the next one. */
  take(key: string, nowMs: number): number
  /** Whether a token is available, without taking it. */
  has(key: string, nowMs: number): boolean
}

interface Bucket {
  tokens: number
  atMs: number
}

/**
 * Creates token buckets in the memory of this process.
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
