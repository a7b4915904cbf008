import * as z from 'zod/mini'

/**
 * Limits per user.
 *
 * - `devices`: registered devices.
 * - `pendingPerDevice`: searches and upload requests that wait for one device; `used` is the highest number.
 * - `searchesPerDay`: searches created since midnight UTC.
 * - `storedBytes`: bytes of uploaded files and device catalogs.
 */
export const QuotaName = z.enum(['devices', 'pendingPerDevice', 'searchesPerDay', 'storedBytes'])
export type QuotaName = z.infer<typeof QuotaName>

/** A limit and its current use. */
export const Quota = z.object({
  name: QuotaName,
  /** Absent without a limit. */
  limit: z.optional(z.int()),
  used: z.int(),
})
export type Quota = z.infer<typeof Quota>

/** Error of a search or upload request in a group that exceeded a quota. */
export const quotaExceededError = 'quota_exceeded'
