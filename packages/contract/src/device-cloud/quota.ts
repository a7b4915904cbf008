import * as z from 'zod/mini'

/**
 * What a server limits for each user.
 *
 * - `devices`: registered devices.
 * - `pendingPerDevice`: searches and upload requests that wait for one device; `used` is that of the fullest one.
 * - `searchesPerDay`: searches that were created since midnight UTC.
 * - `storedBytes`: bytes of uploaded files, and of catalogs of devices.
 */
export const QuotaName = z.enum(['devices', 'pendingPerDevice', 'searchesPerDay', 'storedBytes'])
export type QuotaName = z.infer<typeof QuotaName>

/** A limit, and how much of it is used. */
export const Quota = z.object({
  name: QuotaName,
  /** Absent: unlimited. */
  limit: z.optional(z.int()),
  used: z.int(),
})
export type Quota = z.infer<typeof Quota>

/** Error of a search or an upload request of a group that did not fit into a quota. */
export const quotaExceededError = 'quota_exceeded'
