import { DeviceCloudError } from '../device-cloud-error.ts'

/**
 * Whether the cloud will never take this request, however often it is sent (C17): a 4xx other than 408, 425 and
 * 429. A refused key is not final for what waits: it is sent once the key works again.
 */
export function isFinal(error: DeviceCloudError): boolean {
  return error.status !== undefined && !error.retryable && error.code !== 'UNAUTHORIZED'
}

/** Any failure as the package's own error. */
export function toOwnError(error: unknown, attempt: string): DeviceCloudError {
  if (DeviceCloudError.is(error)) return error
  return new DeviceCloudError('STATE_UNAVAILABLE', `${attempt} failed: an unexpected error, see cause.`, {
    cause: error,
  })
}
