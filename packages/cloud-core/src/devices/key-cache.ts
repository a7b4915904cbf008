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
  const known = new Set<string>()
  let version = 0

  return {
    get version() {
      return version
    },
    get(hash, nowMs) {
      const entry = entries.get(hash)
      if (!entry) return undefined
      if (nowMs < entry.untilMs && entry.untilMs - nowMs <= longestMs) return entry.device ?? null
      entries.delete(hash)
      return undefined
    },
    set(hash, device, match, nowMs) {
      makeRoom(entries, hash, maxEntries)
      const spread = 0.8 + 0.4 * random()
      const ttlMs = device ? (match === 'current' ? verifiedMs * spread : previousMs) : unknownMs
      entries.set(hash, { device, untilMs: nowMs + ttlMs })
      if (device) this.remember(hash)
    },
    replace(device, newer) {
      const entry = entries.get(device.key.hash)
      if (entry?.device === device) entries.set(device.key.hash, { device: newer, untilMs: entry.untilMs })
    },
    wasKnown: (hash) => known.has(hash),
    remember(hash) {
      makeRoom(known, hash, maxEntries)
      known.add(hash)
    },
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
    forgetDevice(deviceId) {
      this.forget([...entries].filter(([, entry]) => entry.device?.id === deviceId).map(([hash]) => hash))
    },
  }
}

/** Drops the oldest entry at the limit, unless the new one takes the place of its own. */
function makeRoom(entries: Map<string, unknown> | Set<string>, hash: string, maxEntries: number): void {
  if (entries.size >= maxEntries && !entries.has(hash)) entries.delete(entries.keys().next().value!)
}
