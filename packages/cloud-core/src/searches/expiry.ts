/** Error of a search that nobody answered in time (C10). */
export const expiredSearchError = 'expired: the device did not report in time'
