import { checkNumbers } from '../check-numbers.ts'
import type { Outbox, OutboxEntry } from '../ports/index.ts'
import { jsonBytes } from '../json-bytes.ts'
import { assertRoom } from './assert-room.ts'

/** Limits of a memory outbox. */
export interface MemoryOutboxOptions {
  /** Maximum number of entries. Further entries are rejected. @default 100 */
  readonly maxEntries?: number
  /** Maximum size of all entries together as JSON, in bytes. @default 67108864 */
  readonly maxBytes?: number
}

/**
 * Creates an outbox in memory. It survives a lost connection, but not the end of the process.
 *
 * For that, use the file outbox of `@homeward/device-sdk/node`. A full outbox rejects new entries with
 * `STATE_UNAVAILABLE` and drops nothing. A replaced entry counts only with its new size.
 *
 * @throws {DeviceCloudError} `INVALID_OPTION` if a limit is not a number.
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
