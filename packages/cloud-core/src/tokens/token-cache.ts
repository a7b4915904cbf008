import type { StoredToken } from '../ports/token-store.ts'

/** How long a token that was deleted in another process still works here at most, in milliseconds (C30). */
const tokenCacheMs = 5_000

interface Entry {
  readonly token: StoredToken
  readonly untilMs: number
}

/** Tokens that worked within the last 5 seconds, and which ones ever worked, by the hash of their secret. */
export interface TokenCache {
  get(hash: string, nowMs: number): StoredToken | undefined
  /** Changes when something is forgotten: what was read before must not be cached then. */
  readonly version: number
  set(token: StoredToken, nowMs: number): void
  /** Whether this token worked before. */
  wasKnown(hash: string): boolean
  forget(hashes: Iterable<string>): void
  /** Forgets what is cached, but not which tokens worked before. */
  forgetAll(): void
}

/** Creates the cache. At `maxEntries` the oldest entry is dropped. */
export function createTokenCache(maxEntries = 10_000): TokenCache {
  const entries = new Map<string, Entry>()
  const known = new Set<string>()
  let version = 0
  const makeRoom = (held: Map<string, unknown> | Set<string>, hash: string) => {
    if (held.size >= maxEntries && !held.has(hash)) held.delete(held.keys().next().value!)
  }
  return {
    get version() {
      return version
    },
    get(hash, nowMs) {
      const entry = entries.get(hash)
      if (entry === undefined) return undefined
      // an entry that ends far ahead was made by a clock that has been put back since
      if (nowMs < entry.untilMs && entry.untilMs - nowMs <= tokenCacheMs) return entry.token
      entries.delete(hash)
      return undefined
    },
    set(token, nowMs) {
      makeRoom(entries, token.hash)
      makeRoom(known, token.hash)
      entries.set(token.hash, { token, untilMs: nowMs + tokenCacheMs })
      known.add(token.hash)
    },
    wasKnown: (hash) => known.has(hash),
    forget(hashes) {
      version += 1
      for (const hash of hashes) {
        entries.delete(hash)
        known.delete(hash)
      }
    },
    forgetAll() {
      version += 1
      entries.clear()
    },
  }
}
