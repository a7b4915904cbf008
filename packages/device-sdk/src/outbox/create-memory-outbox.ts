import { checkNumbers } from '../check-numbers.ts'
import type { Outbox, OutboxEntry } from '../ports/index.ts'
import { jsonBytes } from '../json-bytes.ts'
import { assertRoom } from './assert-room.ts'

/** Limits of a memory outbox. */
export interface MemoryOutboxOptions {
  /** Maximum number of entries. Further entries are rejected. @default 100 */
  readonly maxEntries?: number
  /** Most bytes of all entries together, as JSON. @default 67108864 */
  readonly maxBytes?: number
}

/**
 * Builds an outbox that survives a lost connection, but not the end of the process. For that use the file
 * outbox of `@homeward/device-sdk/node`.
 *
 * A full outbox refuses new entries and drops nothing; replacing an entry needs room for the difference only. `put` of
 * what does not fit rejects with `STATE_UNAVAILABLE`.
 *
 * @throws {DeviceCloudError} `INVALID_OPTION` when a limit is no number.
 * @example
 * const outbox = createMemoryOutbox({ maxEntries: 20 })
 */
export function createMemoryOutbox(options: MemoryOutboxOptions = {}): Outbox {
  const { maxEntries = 100, maxBytes = 64 * 1024 * 1024 } = options
  checkNumbers('Creating the outbox', { maxEntries, maxBytes })
  const entries = new Map<string, OutboxEntry>()
  const sizes = new Map<string, number>()
  return {
    list: async () => [...entries.values()].toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1)),
    async put(entry) {
      const { queryId } = entry
      const bytes = jsonBytes(entry)
      assertRoom(sizes, queryId, bytes, { maxEntries, maxBytes })
      entries.set(queryId, entry)
      sizes.set(queryId, bytes)
    },
    async delete(queryId) {
      entries.delete(queryId)
      sizes.delete(queryId)
    },
  }
}
