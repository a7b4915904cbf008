/** Time that an expired token stays in lists, in milliseconds. */
export const expiredTokenMs = 30 * 24 * 60 * 60 * 1000
/** How exact the time of the last use is, in milliseconds: a token in constant use costs one write in this time. */
const lastUseMs = 60 * 60 * 1000

/** Whether a token has expired. @param expiresAt ISO time; if missing, the token never expires */
export function isTokenExpired(expiresAt: string | null | undefined, nowMs: number): boolean {
  return typeof expiresAt === 'string' && expiresAt <= new Date(nowMs).toISOString()
}

/**
 * Whether the stored time of the last use is recent enough, so that this use need not be written. A stored time in
 * the future comes from a clock that was set back since.
 */
export function isUseNoted(lastUsedAt: string | null | undefined, nowMs: number): boolean {
  return typeof lastUsedAt === 'string' && Math.abs(nowMs - Date.parse(lastUsedAt)) < lastUseMs
}
