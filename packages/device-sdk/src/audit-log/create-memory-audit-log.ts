import { checkNumbers } from '../check-numbers.ts'
import type { AuditEntry, AuditLog } from '../ports/index.ts'

/** An audit log that can be read back. */
export interface MemoryAuditLog extends AuditLog {
  /** The newest entries, oldest first. */
  entries(): readonly AuditEntry[]
}

/**
 * Builds an audit log that stores its newest entries in memory.
 *
 * @param options - `maxEntries`: how many. @default 1000
 * @throws {DeviceCloudError} `INVALID_OPTION` when it is no number.
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
