const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** How long a device waits for a user (C28). */
export const pendingMs = 15 * minuteMs
/** How long after that the device can still read that its enrollment expired. */
export const expiredMs = 60 * minuteMs
/** How long a denied key stays denied. */
export const deniedMs = 365 * dayMs
/** How often a device asks that does not hold its request. */
export const intervalSeconds = 5
/** Devices that may wait at the same time without a token, and with the tokens of one user. */
export const maxPending = 10_000
/** Tokens of one user that are not revoked. */
export const maxTokens = 1000
/** How long it is known of a revoked token that it was revoked. */
export const revokedMs = 90 * dayMs
