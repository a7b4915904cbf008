import { DeviceCloudError } from '../device-cloud-error.ts'

/**
 * Whether the cloud will never take this request, however often it is sent (C17): a 4xx other than 408, 425 and
 * 429. A refused key is not final for what waits: it is sent once the key works again.
 */
export function isFinal(error: DeviceCloudError): boolean {
  return error.status !== undefined && !error.retryable && error.code !== 'UNAUTHORIZED'
}

/** Longest wait that a response can ask for: any proxy on the way can, and a device must not be away for a day. */
const maxRetryAfterMs = 900_000

/** Any failure as the package's own error, which asks for a wait of at most 15 minutes. */
export function toOwnError(error: unknown, attempt: string): DeviceCloudError {
  if (DeviceCloudError.is(error)) {
    const { code, message, status, retryAfterMs = 0 } = error
    if (retryAfterMs <= maxRetryAfterMs) return error
    return new DeviceCloudError(code, message, { status, retryAfterMs: maxRetryAfterMs, cause: error })
  }
  return new DeviceCloudError(
    'STATE_UNAVAILABLE',
    `${attempt} failed: an unexpected error occurred. See "cause".`,
    {
      cause: error,
    },
  )
}
