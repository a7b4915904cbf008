/** Error of a search that no device completed in time. */
export const expiredSearchError = 'expired: the device did not report in time'

/** Error of a search that a user canceled. */
export const canceledSearchError = 'canceled'

const lookAgainMs = 60_000

/** When to look again for work that expires. Uploads whose time is over have a lease: they are looked at every minute. */
export function nextExpiry(expiresAt: readonly string[], now: string): string | null {
  const again = new Date(Date.parse(now) + lookAgainMs).toISOString()
  const [next = null] = expiresAt.map((at) => (at > now ? at : again)).toSorted()
  return next
}
