import { createCaller } from '@homeward/contract/client'
import { type Enrollment, enrollingOperations, type StartedEnrollment } from '@homeward/contract/device-cloud'
import { untilAborted } from '@homeward/kit'
import { redactSecrets } from '@homeward/kit/http'
import { createHoldLimit, type HoldLimit } from '../agent/pace/hold-limit.ts'
import { maxTimeoutMs } from '../client/create-device-client.ts'
import { createKeySource } from '../client/key-source.ts'
import { toDeviceCloudError } from '../client/to-device-cloud-error.ts'
import { DeviceCloudError } from '../device-cloud-error.ts'
import { Secret } from '../secret.ts'
import { hashDeviceKey } from './device-key.ts'
import type { EnrollDeviceOptions } from './enroll-options.ts'

/** The two requests of an enrollment. Both throw a {@link DeviceCloudError}, or the reason of the signal. */
export interface EnrollmentCalls {
  /** Begins, or finds what was begun with the same key. */
  start(signal?: AbortSignal): Promise<StartedEnrollment>
  /**
   * Asks how far it is; for `seconds` above 0 the cloud may wait with its response. Undefined if the cloud does not know the
   * enrollment, or not with this key.
   */
  read(id: string, seconds: number, signal?: AbortSignal): Promise<EnrollmentReading | undefined>
  /** How long requests ask to be held. */
  readonly holds: HoldLimit
}

/** What a cloud said about an enrollment. */
interface EnrollmentReading {
  readonly enrollment: Enrollment
  /** Whether the cloud says that it held its response. */
  readonly isHeld: boolean
}

const unknownCodes: readonly unknown[] = ['NOT_FOUND', 'UNAUTHORIZED']

/** Builds the requests. @throws {DeviceCloudError} `INVALID_OPTION`. */
export function createEnrollmentCalls(options: EnrollDeviceOptions): EnrollmentCalls {
  const { name, type, platform, metadata = {}, token: given, ...rest } = options
  const { now = Date.now, random = Math.random } = options
  const timeoutMs = Math.min(options.timeoutMs ?? maxTimeoutMs, maxTimeoutMs)
  const settings = { ...rest, timeoutMs, credentials: 'omit', toError: toDeviceCloudError } as const
  const call = createCaller(enrollingOperations, settings)
  const keys = createKeySource(options.apiKey)
  const token = given instanceof Secret ? given.reveal() : given
  const maxWaitSeconds = Math.max(0, Math.floor(Math.min(60, timeoutMs / 1000 - 5)))
  const waitSeconds = Math.min(options.waitSeconds ?? 50, maxWaitSeconds)
  return {
    holds: createHoldLimit({ waits: [waitSeconds], maxWaitSeconds, now, random }),
    async start(signal) {
      const key = await untilAborted(keys.read(), signal)
      const about = {
        keyHash: await hashDeviceKey(key),
        keyHint: key.slice(-4),
        name,
        type,
        platform,
        metadata,
      }
      const body = token === undefined ? about : { ...about, token }
      const answer = await call('enrollDevice', { body, signal }).catch((error: unknown) => {
        throw withoutToken(error, token)
      })
      return checked(answer.body.enrollment)
    },
    async read(id, seconds, signal) {
      const key = await untilAborted(keys.read(), signal)
      const headers = { authorization: `Bearer ${key}`, ...(seconds > 0 && { prefer: `wait=${seconds}` }) }
      try {
        const answer = await call('readEnrollment', { params: { id }, headers, signal })
        const isHeld = /(^|[,;\s])wait\s*(=|[,;]|$)/i.test(answer.headers.get('preference-applied') ?? '')
        return { enrollment: checked(answer.body.enrollment), isHeld }
      } catch (error) {
        if (DeviceCloudError.is(error) && unknownCodes.includes(error.code)) return undefined
        throw error
      }
    },
  }
}

/** An enrollment that says which device it became, once it is approved. */
function checked<E extends Enrollment>(enrollment: E): E {
  if (enrollment.status !== 'approved' || enrollment.deviceId !== undefined) return enrollment
  throw new DeviceCloudError(
    'BAD_REPLY',
    'Enrolling this device failed: the response of the cloud has no device id. Check "baseUrl".',
  )
}

/** An error that repeats no token, in case a response did. */
function withoutToken(error: unknown, token: string | undefined): unknown {
  if (!token || !DeviceCloudError.is(error) || !error.message.includes(token)) return error
  const { code, status, retryAfterMs } = error
  return new DeviceCloudError(code, redactSecrets(error.message, [token]), { status, retryAfterMs })
}
