import { DeviceCloudError } from '../device-cloud-error.ts'

/** When a fault begins and how long it lasts, in virtual seconds since the fleet was started. */
export interface FaultWindow {
  readonly atSeconds: number
  readonly forSeconds: number
}

/** Selects the requests that a fault affects. */
export interface FaultShare {
  /** From 0 to 1. @default 1 */
  readonly share?: number
}

/**
 * What goes wrong.
 *
 * - `outage`: nobody is there; connections are refused and held polls break off. With `retryAfterSeconds` a proxy
 *   answers 503 in the cloud's place; with `letsGo` the cloud answers its held polls before it goes, as at a restart.
 * - `unauthorized`: every request is answered with 401, as when a cloud cannot read its keys (C16).
 * - `server-errors`: requests are answered with `status`.
 * - `rate-limited`: requests are answered with 429.
 * - `slow-answers`: the cloud did what was asked; its answer comes `delaySeconds` later.
 * - `lost-answers`: the cloud did what was asked; the connection breaks before its answer.
 * - `reboot`: every device starts anew in the same second, as after a power cut.
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
        /** @default 500 */
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
