import { type QuotaName, quotaExceededError } from '@homeward/contract/device-cloud'
import type { CreateOutcome, IdempotencyRecord } from '../ports/idempotency-record.ts'
import { findRepeat } from './once-rows.ts'
import type { Tables } from './tables.ts'

/** {@link QuotaStore.readUsage}, in memory. */
export function readUsage(
  tables: Tables,
  owner: string,
  name: QuotaName,
  { day, now }: { readonly day: string; readonly now: string },
): number {
  const searches = tables.searches.byOwner.get(owner) ?? []
  const uploads = tables.uploads.byOwner.get(owner) ?? []
  switch (name) {
    case 'devices':
      return tables.devicesByOwner.get(owner)?.length ?? 0
    case 'searchesPerDay':
      return searches.filter(({ createdAt, error }) => createdAt >= day && error !== quotaExceededError)
        .length
    case 'storedBytes':
      return [...uploads, ...(tables.devicesByOwner.get(owner) ?? [])].reduce(
        (sum, row) => sum + (('fileSize' in row ? row.fileSize : row.catalogBytes) ?? 0),
        0,
      )
    case 'pendingPerDevice':
    default: {
      const counts = new Map<string, number>()
      for (const { deviceId, status, expiresAt } of [...searches, ...uploads])
        if (status === 'pending' && expiresAt > now) counts.set(deviceId, (counts.get(deviceId) ?? 0) + 1)
      return Math.max(0, ...counts.values())
    }
  }
}

/** {@link QuotaStore.findCreation}, in memory. */
export const findCreation = (tables: Tables, once: IdempotencyRecord): CreateOutcome | undefined =>
  findRepeat(tables.once, once)
