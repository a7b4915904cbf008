/** Error of a search that nobody answered in time (C10). */
export const expiredSearchError = 'expired: the device did not report in time'

/** Error of a search that its user canceled (C32). */
export const canceledSearchError = 'canceled'
