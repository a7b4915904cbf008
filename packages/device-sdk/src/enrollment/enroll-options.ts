import type { ClientOptions } from '@homeward/contract/client'
import type { DeviceMetadata, DevicePlatform, DeviceType } from '@homeward/contract/device-cloud'
import type { ApiKey } from '../client/key-source.ts'
import type { DeviceCloudError } from '../device-cloud-error.ts'
import type { Timers } from '../ports/index.ts'
import type { Secret } from '../secret.ts'

/** The code that a user enters to approve a device. */
export interface EnrollmentCode {
  /** Code such as `XXXX-XXXX`. Users may enter it in any case, with or without the hyphen. */
  readonly userCode: string
  /** Address of the page on which the user enters the code. */
  readonly verificationUri: string
  /** The same page with the code filled in, for a link or a QR code. */
  readonly verificationUriComplete: string
  /** Seconds until a new code replaces this one. */
  readonly expiresInSeconds: number
}

/** A device that the cloud has registered. */
export interface EnrolledDevice {
  readonly deviceId: string
}

/** Options of {@link enrollDevice}. */
export interface EnrollDeviceOptions extends Pick<
  ClientOptions,
  'baseUrl' | 'fetch' | 'maxReplyBytes' | 'now'
> {
  /**
   * The key that this device created and stored. In Node, use `createKeyFile({ folder })`; elsewhere,
   * `createDeviceKey()` and your own storage.
   *
   * The same key is always the same device. Until the cloud has the enrollment, only the hash and the last 4
   * characters of the key are sent.
   */
  readonly apiKey: ApiKey
  /** Name that users see, 1 to 200 characters. */
  readonly name: string
  /** Kind of device, such as `laptop`. */
  readonly type: DeviceType
  /** Operating system, such as `linux`. */
  readonly platform: DevicePlatform
  /** Metadata that users see before they approve the device. @default no metadata */
  readonly metadata?: DeviceMetadata
  /** Enrollment token of a user, `hwe_…`. @default no token: a user enters a code */
  readonly token?: string | Secret | undefined
  /** Called with the code that a user has to enter, and again with each new code. Its errors are ignored. */
  readonly onCode?: (code: EnrollmentCode) => void
  /** Called for each failed request that is retried after `retryInMs`. Its errors are ignored. */
  readonly onRetry?: (error: DeviceCloudError, retryInMs: number) => void
  /** Duration of a long poll for the user's decision in seconds, 1 to 60; 0 for no long poll. @default 50 */
  readonly waitSeconds?: number
  /** Time limit of a request in milliseconds, at most 90000. @default 90000 */
  readonly timeoutMs?: number
  /** Ends the enrollment, which then rejects with the reason. */
  readonly signal?: AbortSignal
  /** Returns a random number from 0 to 1. @default Math.random */
  readonly random?: () => number
  /** Timers, to use your own clock. @default setTimeout and clearTimeout */
  readonly timers?: Timers
}
