/** Error of an upload request that nobody served in time (C4). */
export const expiredUploadError = 'expired'

/** Error that a device is told when it serves a canceled request. */
export const canceledUploadError = 'canceled'
