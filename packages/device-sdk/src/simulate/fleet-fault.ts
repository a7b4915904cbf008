import { DeviceCloudError } from '../device-cloud-error.ts'

/** Start and duration of a fault, in virtual seconds since the fleet was started. */
export interface FaultWindow {
  readonly atSeconds: number
  readonly forSeconds: number
}

/** Selects the requests that a fault affects. */
export interface FaultShare {
  /** Share of requests, from 0 to 1. @default 1 */
  readonly share?: number
}

/**
 * A fault to simulate.
 *
 * - `outage`: the cloud is down; connections are rejected and long polls break. With `retryAfterSeconds`, a proxy
 *   responds with 503. With `letsGo`, the cloud ends its long polls properly first, as at a restart.
 * - `unauthorized`: every request gets 401, as if the cloud could not read its keys.
 * - `server-errors`: requests get `status`.
 * - `rate-limited`: requests get 429.
 * - `slow-answers`: the cloud does the work; its response arrives `delaySeconds` later.
 * - `lost-answers`: the cloud does the work; the connection breaks before its response.
 * - `reboot`: every device restarts in the same second, as after a power failure.
 */
export type FleetFault =
  | (FaultWindow & {
      readonly kind: 'outage'
      readonly retryAfterSeconds?: number
      readonly letsGo?: boolean
    })
  | (FaultWindow & { readonly kind: 'unauthorized' })
  | (FaultWindow &
      FaultShare & {
        readonly kind: 'server-errors'
        /** HTTP status of the responses. @default 500 */
        readonly status?: number
        readonly retryAfterSeconds?: number
      })
  | (FaultWindow & FaultShare & { readonly kind: 'rate-limited'; readonly retryAfterSeconds?: number })
  | (FaultWindow & FaultShare & { readonly kind: 'slow-answers'; readonly delaySeconds: number })
  | (FaultWindow & FaultShare & { readonly kind: 'lost-answers' })
  | { readonly kind: 'reboot'; readonly atSeconds: number }

/** Second at which a fault is over. */
export const endOf = (fault: FleetFault): number =>
  fault.atSeconds + (fault.kind === 'reboot' ? 0 : fault.forSeconds)

/** @throws {DeviceCloudError} `INVALID_OPTION` for a fault that cannot happen. */
export function checkFault(fault: FleetFault): void {
  const {
    forSeconds,
    share = 1,
    delaySeconds = 0,
  } = fault as Partial<FaultWindow & FaultShare> & {
    readonly delaySeconds?: number
  }
  const length = fault.kind === 'reboot' ? 0 : forSeconds
  const numbers = { atSeconds: fault.atSeconds, forSeconds: length, share, delaySeconds }
  for (const [name, value] of Object.entries(numbers)) {
    if (typeof value === 'number' && value >= 0 && (name !== 'share' || value <= 1)) continue
    throw new DeviceCloudError(
      'INVALID_OPTION',
      `Simulating a fleet failed: "${name}" of the fault "${fault.kind}" must be a number ${name === 'share' ? 'between 0 and 1' : 'of at least 0'}.`,
    )
  }
}
