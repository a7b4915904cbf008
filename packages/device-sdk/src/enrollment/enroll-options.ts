import type { ClientOptions } from '@homeward/contract/client'
import type { DeviceMetadata, DevicePlatform, DeviceType } from '@homeward/contract/device-cloud'
import type { ApiKey } from '../client/key-source.ts'
import type { DeviceCloudError } from '../device-cloud-error.ts'
import type { Timers } from '../ports/index.ts'
import type { Secret } from '../secret.ts'

/** The code that a user enters to approve a device. */
export interface EnrollmentCode {
  /** `XXXX-XXXX`; the user may enter it in any case, with or without the dash. */
  readonly userCode: string
  /** Address of the page on which the user enters the code. */
  readonly verificationUri: string
  /** The same page with the code filled in, for a link or a QR code. */
  readonly verificationUriComplete: string
  /** Seconds until a new code takes its place. */
  readonly expiresInSeconds: number
}

/** A device that the cloud let in. */
export interface EnrolledDevice {
  readonly deviceId: string
}

/** Who asks to be let in, and how. */
export interface EnrollDeviceOptions extends Pick<
  ClientOptions,
  'baseUrl' | 'fetch' | 'maxReplyBytes' | 'now'
> {
  /**
   * The key that this device made and stored: in Node `createKeyFile({ folder })`, elsewhere `createDeviceKey()` and a place of
   * your own. The same key is always the same device. Only its hash and its last 4 characters are sent until the cloud has the
   * enrollment.
   */
  readonly apiKey: ApiKey
  /** Name that users see, 1 to 200 characters. */
  readonly name: string
  /** Kind of device, such as `laptop`. */
  readonly type: DeviceType
  /** Operating system, such as `linux`. */
  readonly platform: DevicePlatform
  /** Facts that users see before they let the device in. @default none */
  readonly metadata?: DeviceMetadata
  /** Enrollment token of a user, `hwe_…`. @default none: a user enters a code */
  readonly token?: string | Secret | undefined
  /** Called with the code that a user has to enter, and again with each new code. Errors that it throws are ignored. */
  readonly onCode?: (code: EnrollmentCode) => void
  /** Called for each failed request that is retried after `retryInMs`. Errors that it throws are ignored. */
  readonly onRetry?: (error: DeviceCloudError, retryInMs: number) => void
  /** Seconds that a request lets the cloud hold its response until the user decides, 1 to 60; 0 to never ask. @default 50 */
  readonly waitSeconds?: number
  /** Milliseconds until a request is given up; no more than 90000. @default 90000 */
  readonly timeoutMs?: number
  /** Ends the enrollment, which then rejects with the reason. */
  readonly signal?: AbortSignal
  /** A number from 0 to 1. @default Math.random */
  readonly random?: () => number
  /** Timers, to use your own clock. @default setTimeout and clearTimeout */
  readonly timers?: Timers
}
