/** Error of an upload request that no device completed in time. */
export const expiredUploadError = 'expired'

/** Error for a device that uploads a canceled request. */
export const canceledUploadError = 'canceled'
