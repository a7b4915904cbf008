import type { StartedEnrollment } from '@homeward/contract/device-cloud'
import { backoffMs, jitterMs, sleep } from '@homeward/kit'
import { toOwnError } from '../agent/is-final.ts'
import { DeviceCloudError } from '../device-cloud-error.ts'
import { createEnrollmentCalls, type EnrollmentCalls } from './enrollment-calls.ts'
import type { EnrollDeviceOptions, EnrolledDevice } from './enroll-options.ts'

/**
 * Enrolls this device in a cloud, by a code that a user enters or by a token. Resolves once the key works.
 *
 * You can repeat the call at any time, also after a crash or with a key that is already enrolled, because the cloud
 * recognizes the device by the hash of its key. Failed requests are retried with growing delays, without a limit.
 *
 * @throws {DeviceCloudError} `ENROLLMENT_DENIED` if a user denied the device; `REJECTED` if the cloud rejects the
 * request or the token, with the reason in the message; `NOT_FOUND` if the cloud does not support enrollment;
 * `INVALID_OPTION`; `STATE_UNAVAILABLE` if the key cannot be read; the signal's reason on abort.
 * @example
 * const apiKey = createKeyFile({ folder: '/var/lib/my-agent' })
 * await enrollDevice({
 *   baseUrl: 'https://cloud.example',
 *   apiKey,
 *   name: 'Workshop',
 *   type: 'iot',
 *   platform: 'linux',
 *   onCode: ({ userCode, verificationUri }) => console.log(`Enter ${userCode} at ${verificationUri}`),
 * })
 */
export async function enrollDevice(options: EnrollDeviceOptions): Promise<EnrolledDevice> {
  const calls = createEnrollmentCalls(options)
  const { signal, onCode } = options
  const pauses = createPauses(options)
  let shown: string | undefined
  for (;;) {
    const started = await pauses.retry(() => calls.start(signal))
    const { userCode, verificationUri = '', verificationUriComplete = verificationUri } = started
    if (userCode !== undefined && userCode !== shown) {
      shown = userCode
      const { expiresInSeconds = 0 } = started
      safeHook(() => onCode?.({ userCode, verificationUri, verificationUriComplete, expiresInSeconds }))
    }
    const enrolled = await waitForDecision(started, calls, pauses, options)
    if (enrolled) return enrolled
  }
}

/** Waits until somebody has decided. Undefined if the enrollment has to begin again. */
async function waitForDecision(
  { id, intervalSeconds = 5, ...started }: StartedEnrollment,
  calls: EnrollmentCalls,
  pauses: Pauses,
  { signal, now = Date.now }: EnrollDeviceOptions,
): Promise<EnrolledDevice | undefined> {
  let { status, deviceId } = started
  const intervalMs = Math.min(Math.max(intervalSeconds, 1), 60) * 1000
  while (status === 'pending') {
    let startedMs = now()
    const ask = () => {
      startedMs = now()
      return calls.read(id, calls.holds.next(), signal)
    }
    const read = await pauses.retry(ask, () => calls.holds.noteBroken(now() - startedMs))
    if (!read) {
      await pauses.pause(intervalMs)
      return undefined
    }
    ;({ status, deviceId } = read.enrollment)
    if (status !== 'pending') break
    if (read.isHeld) calls.holds.noteHeld()
    // A response that was held for a while needs no pause; one that came early gets it, whatever the cloud says.
    if (!read.isHeld || now() - startedMs < intervalMs) await pauses.pause(intervalMs)
  }
  if (status === 'denied') throw denied()
  if (status === 'expired') await pauses.pause(1000)
  return status === 'approved' && deviceId !== undefined ? { deviceId } : undefined
}

/** How one enrollment waits. */
interface Pauses {
  /** Calls until that works. Undefined if the cloud does not know the enrollment any more. @throws what waiting cannot cure. */
  retry<T>(call: () => Promise<T>, onFailure?: () => void): Promise<T>
  /** Waits about `ms`. @throws the signal's reason on abort. */
  pause(ms: number): Promise<void>
}

function createPauses({ signal, random, timers, onRetry }: EnrollDeviceOptions): Pauses {
  let failures = 0
  const wait = async (ms: number): Promise<void> => {
    await sleep(ms, signal, timers)
    signal?.throwIfAborted()
  }
  return {
    pause: (ms) => wait(jitterMs(ms, random)),
    async retry(call, onFailure) {
      for (;;) {
        try {
          const result = await call()
          failures = 0
          return result
        } catch (cause) {
          signal?.throwIfAborted()
          const error = toOwnError(cause, 'Enrolling this device')
          if (!error.retryable) throw error
          onFailure?.()
          failures += 1
          const { retryAfterMs } = error
          const retryInMs = backoffMs({ failures, retryAfterMs, ...(random && { random }) })
          safeHook(() => onRetry?.(error, retryInMs))
          await wait(retryInMs)
        }
      }
    },
  }
}

/** Calls a listener, which must not be able to stop the enrollment. */
function safeHook(call: () => void): void {
  try {
    call()
  } catch {
    // It is the listener's own.
  }
}

const denied = (): DeviceCloudError =>
  new DeviceCloudError(
    'ENROLLMENT_DENIED',
    'Enrolling this device failed: a user denied the device. To try again, enroll with a new key.',
  )
