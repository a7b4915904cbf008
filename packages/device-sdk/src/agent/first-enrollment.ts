import { backoffMs, sleep, untilAborted } from '@homeward/kit'
import type { AgentContext } from './agent-context.ts'
import { toOwnError } from './is-final.ts'

/** Lets the device in before its agent works. */
export interface FirstEnrollment {
  /** Resolves once the device was let in, or when `signal` aborts. Does nothing the second time. Never rejects. */
  run(signal: AbortSignal): Promise<void>
  /** Enrolls if that was not done yet, once. @throws what the enrollment failed with. */
  once(signal: AbortSignal): Promise<void>
  /** Whether the device was let in a moment ago, so that not every server of the cloud needs to know its key yet. */
  isFresh(): boolean
}

/** Waiting does not cure what an enrollment ends with, but a person may: by a new token, or by a look at the log. */
const pauses = { baseMs: 5 * 60_000, capMs: 30 * 60_000, spread: [0.9, 1.1] } as const
const freshMs = 5 * 60_000

/** Builds what runs before the first heartbeat. */
export function createFirstEnrollment(
  { emit, now, random, timers }: Pick<AgentContext, 'emit' | 'now' | 'random' | 'timers'>,
  enroll: ((signal: AbortSignal) => Promise<unknown>) | undefined,
): FirstEnrollment {
  let enrolledAtMs: number | undefined

  async function once(signal: AbortSignal): Promise<void> {
    if (!enroll || enrolledAtMs !== undefined) return
    await untilAborted(enroll(signal), signal)
    enrolledAtMs = now()
    emit('enrollment:end', { error: null })
  }
  return {
    once,
    async run(signal) {
      for (let failures = 1; !signal.aborted; failures += 1) {
        try {
          return await once(signal)
        } catch (cause) {
          if (signal.aborted) return
          const retryInMs = backoffMs({ ...pauses, failures, random })
          emit('enrollment:error', { error: toOwnError(cause, 'Enrolling this device'), retryInMs })
          await sleep(retryInMs, signal, timers)
        }
      }
    },
    isFresh: () => enrolledAtMs !== undefined && Math.abs(now() - enrolledAtMs) < freshMs,
  }
}
