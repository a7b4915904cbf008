import { checkNumbers } from '../check-numbers.ts'
import type { AuditEntry, AuditLog } from '../ports/index.ts'

/** An audit log in memory, with readable entries. */
export interface MemoryAuditLog extends AuditLog {
  /** The newest entries, oldest first. */
  entries(): readonly AuditEntry[]
}

/**
 * Creates an audit log that stores its newest entries in memory.
 *
 * @param options `maxEntries`: maximum number of entries. @default 1000
 * @throws {DeviceCloudError} `INVALID_OPTION` if `maxEntries` is not a number.
 * @example
 * const auditLog = createMemoryAuditLog({ maxEntries: 100 })
 */
export function createMemoryAuditLog({
  maxEntries = 1000,
}: { readonly maxEntries?: number } = {}): MemoryAuditLog {
  checkNumbers('Creating the audit log', { maxEntries })
  const kept: AuditEntry[] = []
  return {
    async append(entry) {
      kept.push(entry)
      if (kept.length > maxEntries) kept.shift()
    },
    entries: () => [...kept],
  }
}
