/** Error of an upload request that nobody served in time (C4). */
export const expiredUploadError = 'expired'

/** Error for a device that serves a canceled request. */
export const canceledUploadError = 'canceled'
