import type { StoredDevice } from '../ports/device-store.ts'

const verifiedMs = 60_000
const previousMs = 5_000
const unknownMs = 10_000
/** What lies further ahead was noted by a clock that has been put back since. */
const longestMs = verifiedMs * 1.2

interface Entry {
  readonly device: StoredDevice | undefined
  readonly untilMs: number
}

/**
 * What is known about key hashes (C14): verified ones for 60 s ± 20 %, so that a fleet's look-ups spread out; a
 * rotated key's predecessor for 5 s, so that it ends within seconds on every process; unknown ones for 10 s.
 */
export interface KeyCache {
  /** The device, null for a key known to be unknown, undefined when the storage has to be asked. */
  get(hash: string, nowMs: number): StoredDevice | null | undefined
  /** How often {@link get} has found a key, and how often not. */
  readonly counts: { readonly hits: number; readonly misses: number }
  /** Changes whenever something is forgotten: what was read before may then not be kept. */
  readonly version: number
  set(hash: string, device: StoredDevice | undefined, match: 'current' | 'previous', nowMs: number): void
  /** Puts a newer state of a device in the place of the one that was given out; changes nothing else. */
  replace(device: StoredDevice, newer: StoredDevice): void
  /** Whether this key was valid at some time: it may ask the storage again however many others failed. */
  wasKnown(hash: string): boolean
  remember(hash: string): void
  forget(hashes: Iterable<string>): void
  /** Forgets what is cached, but not which keys were valid at some time. */
  forgetAll(): void
  /** Forgets every key of a device. */
  forgetDevice(deviceId: string): void
}

/** Creates the cache. `random` gives numbers in [0, 1). At `maxEntries` the oldest is forgotten. */
export function createKeyCache(random: () => number, maxEntries = 200_000): KeyCache {
  const entries = new Map<string, Entry>()
  /** Hashes by device, so that a deletion does not walk all entries. */
  const hashesOf = new Map<string, Set<string>>()
  const known = new Set<string>()
  let version = 0
  const counts = { hits: 0, misses: 0 }

  function put(hash: string, entry: Entry): void {
    unlink(hash)
    if (entries.size >= maxEntries && !entries.has(hash)) drop(entries.keys().next().value!)
    entries.set(hash, entry)
    const id = entry.device?.id
    if (id !== undefined) hashesOf.set(id, (hashesOf.get(id) ?? new Set()).add(hash))
  }

  function unlink(hash: string): void {
    const id = entries.get(hash)?.device?.id
    const hashes = id === undefined ? undefined : hashesOf.get(id)
    if (id === undefined || hashes === undefined) return
    hashes.delete(hash)
    if (hashes.size === 0) hashesOf.delete(id)
  }

  function drop(hash: string): void {
    unlink(hash)
    entries.delete(hash)
  }

  return {
    counts,
    get version() {
      return version
    },
    get(hash, nowMs) {
      const entry = entries.get(hash)
      if (entry && nowMs < entry.untilMs && entry.untilMs - nowMs <= longestMs) {
        counts.hits += 1
        return entry.device ?? null
      }
      counts.misses += 1
      if (entry) drop(hash)
      return undefined
    },
    set(hash, device, match, nowMs) {
      const spread = 0.8 + 0.4 * random()
      const ttlMs = device ? (match === 'current' ? verifiedMs * spread : previousMs) : unknownMs
      put(hash, { device, untilMs: nowMs + ttlMs })
      if (device) this.remember(hash)
    },
    replace(device, newer) {
      const entry = entries.get(device.key.hash)
      if (entry?.device === device) put(device.key.hash, { device: newer, untilMs: entry.untilMs })
    },
    wasKnown: (hash) => known.has(hash),
    remember(hash) {
      if (known.size >= maxEntries && !known.has(hash)) known.delete(known.keys().next().value!)
      known.add(hash)
    },
    forget(hashes) {
      version += 1
      for (const hash of hashes) {
        drop(hash)
        known.delete(hash)
      }
    },
    forgetAll() {
      version += 1
      entries.clear()
      hashesOf.clear()
    },
    forgetDevice(deviceId) {
      this.forget([...(hashesOf.get(deviceId) ?? [])])
    },
  }
}
