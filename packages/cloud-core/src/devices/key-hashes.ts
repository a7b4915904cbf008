/** Hashes of the `Authorization` headers that worked, so that a device's next call is not hashed again. */
export interface KeyHashes {
  get(header: string): string | undefined
  set(header: string, hash: string): void
}

/**
 * Creates the table. A hash never changes, so nothing in it can go stale: whether the key still works is asked
 * elsewhere, each time. Only headers of valid keys come in, and at the limit the oldest goes.
 */
export function createKeyHashes(maxHashes = 200_000): KeyHashes {
  const hashes = new Map<string, string>()
  return {
    get: (header) => hashes.get(header),
    set(header, hash) {
      if (hashes.has(header)) return
      if (hashes.size >= maxHashes) hashes.delete(hashes.keys().next().value!)
      hashes.set(header, hash)
    },
  }
}
