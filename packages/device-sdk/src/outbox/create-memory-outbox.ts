import { DeviceCloudError } from '../device-cloud-error.ts'
import type { Outbox, OutboxEntry } from '../ports/index.ts'

/** Limits of a memory outbox. */
export interface MemoryOutboxOptions {
  /** Most entries. At the limit no new search is taken, so nothing is ever dropped. @default 100 */
  readonly maxEntries?: number
}

/**
 * Builds an outbox that survives a lost connection, but not the end of the process. For that use the file
 * outbox of `@homeward/device-sdk/node`.
 *
 * `put` of one entry more than `maxEntries` rejects with `STATE_UNAVAILABLE`.
 *
 * @example
 * const outbox = createMemoryOutbox({ maxEntries: 20 })
 */
export function createMemoryOutbox({ maxEntries = 100 }: MemoryOutboxOptions = {}): Outbox {
  const entries = new Map<string, OutboxEntry>()
  return {
    list: async () => [...entries.values()].toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1)),
    async put(entry) {
      if (entries.size >= maxEntries && !entries.has(entry.queryId)) {
        const problem = `it holds ${maxEntries} entries that the cloud has not acknowledged yet`
        throw new DeviceCloudError('STATE_UNAVAILABLE', `Keeping a search in the outbox failed: ${problem}.`)
      }
      entries.set(entry.queryId, entry)
    },
    async delete(queryId) {
      entries.delete(queryId)
    },
  }
}
