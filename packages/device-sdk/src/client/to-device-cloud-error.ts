import type { ClientError, ClientErrorCode } from '@homeward/contract/client'
import { DeviceCloudError, type DeviceCloudErrorCode } from '../device-cloud-error.ts'

const codes: Readonly<Record<Exclude<ClientErrorCode, 'HTTP'>, DeviceCloudErrorCode>> = {
  INVALID_REQUEST: 'INVALID_OPTION',
  UNREACHABLE: 'UNREACHABLE',
  TIMEOUT: 'TIMEOUT',
  REDIRECTED: 'REDIRECTED',
  BAD_REPLY: 'BAD_REPLY',
  REPLY_TOO_LARGE: 'BAD_REPLY',
}

const statusCodes: Readonly<Record<number, DeviceCloudErrorCode>> = {
  401: 'UNAUTHORIZED',
  404: 'NOT_FOUND',
  408: 'SERVER_FAILED',
  413: 'PAYLOAD_TOO_LARGE',
  425: 'SERVER_FAILED',
  429: 'RATE_LIMITED',
}

/** What may have been wrapped. */
interface Wrapped {
  readonly cause?: Wrapped
}

/** The package's own error for a failed call. */
export function toDeviceCloudError(error: ClientError): DeviceCloudError {
  const { code, status, retryAfterMs, cause } = error
  // What the content of a file threw is wrapped by fetch, by that of Node once more. No deeper: causes may go in a circle.
  const outer = cause as Wrapped | undefined
  const causes: readonly unknown[] = [outer, outer?.cause, outer?.cause?.cause]
  const own = causes.find(DeviceCloudError.is)
  if (own) return own
  const ownCode = code === 'HTTP' ? toStatusCode(status ?? 0) : codes[code]
  return new DeviceCloudError(ownCode, error.message, {
    status,
    retryAfterMs,
    ...(cause === undefined ? {} : { cause }),
  })
}

function toStatusCode(status: number): DeviceCloudErrorCode {
  // Some platforms give an answer with status 0 where others reject.
  if (status < 100) return 'UNREACHABLE'
  return statusCodes[status] ?? (status >= 500 ? 'SERVER_FAILED' : 'REJECTED')
}
