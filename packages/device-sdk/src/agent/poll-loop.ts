import type { PendingList, PendingOptions } from '../client/create-device-client.ts'
import type { AgentContext } from './agent-context.ts'
import type { WorkKind } from './agent-events.ts'
import { backoffMs, jitterMs } from './backoff.ts'
import { createBell, sleep } from './bell.ts'
import { toOwnError } from './is-final.ts'
import { createPace } from './pace.ts'

/** What is done with listed requests. */
export interface PendingWork<Request> {
  /** Starts what is not known yet; gives how many that were. */
  take(requests: readonly Request[], signal: AbortSignal): number
  /** Whether anything started is still under way. */
  isBusy(): boolean
  /** Resolves when nothing that was started runs any more. */
  whenIdle(): Promise<void>
}

/** One loop that asks for pending work. */
export interface PollLoop {
  /** Polls until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>
  /** Asks once, without holding, and starts what is new. @throws {DeviceCloudError} */
  pollOnce(signal: AbortSignal): Promise<number>
  /** Takes the number of waiting requests that a heartbeat told (C21), or undefined when it told none. */
  hint(waiting: number | undefined): void
  /** Tells that work was done, so that a held poll may follow at once. */
  noteDone(): void
}

/** What a poll loop asks, and how long the cloud may hold the answer. */
export interface PollSetup<Request> {
  readonly kind: WorkKind
  readonly list: (options: PendingOptions, signal: AbortSignal) => Promise<PendingList<Request>>
  readonly work: PendingWork<Request>
  /** 0 to not ask for it. */
  readonly waitSeconds: number
}

/** More than any cloud lists at once (C11: 20). */
const maxListed = 100

/**
 * Builds a loop over one of the pending lists.
 *
 * Where the cloud applies `Prefer: wait` the next poll follows as soon as there is nothing left to do (C22), else
 * after the interval, skipped while heartbeats say that nothing waits (C21). An answer that teaches nothing new
 * and came at once is always followed by the interval, whatever the cloud claims.
 */
export function createPollLoop<Request>(context: AgentContext, setup: PollSetup<Request>): PollLoop {
  const { emit, now, random, intervalMs } = context
  const { kind, work, waitSeconds } = setup
  const bell = createBell()
  const pace = createPace(1000, now)
  /** Whether the last answer was held; undefined until the cloud has shown what it does. */
  let held: boolean | undefined
  let waiting: number | undefined
  let failures = 0

  async function poll(options: PendingOptions, signal: AbortSignal) {
    const startedMs = now()
    const { requests, waitApplied } = await setup.list(options, signal)
    failures = 0
    held = waitApplied
    const taken = work.take(requests.slice(0, maxListed), signal)
    emit('poll:end', { kind, listed: requests.length, taken, held })
    const answeredLate = now() - startedMs >= Math.min(10_000, waitSeconds * 500)
    return { taken, again: held && requests.length === 0 && answeredLate }
  }

  async function rest(signal: AbortSignal): Promise<void> {
    do await bell.wait(jitterMs(intervalMs, random), signal)
    while (!signal.aborted && held === false && waiting === 0)
  }

  return {
    async run(signal) {
      held = undefined
      while (!signal.aborted) {
        await context.admitted(signal)
        await pace(signal)
        if (signal.aborted) return
        bell.reset()
        try {
          const { again } = await poll(waitSeconds > 0 ? { waitSeconds } : {}, signal)
          if (!again) await rest(signal)
        } catch (cause) {
          if (signal.aborted) return
          const error = toOwnError(cause, `Listing pending ${kind}`)
          context.noteError(error)
          failures += 1
          const retryInMs = backoffMs({ failures, retryAfterMs: error.retryAfterMs, random })
          emit('poll:error', { kind, error, retryInMs })
          await sleep(retryInMs, signal)
        }
      }
    },
    pollOnce: async (signal) => (await poll({}, signal)).taken,
    hint(told) {
      waiting = told
      if (held === false && told !== undefined && told > 0) bell.ring()
    },
    noteDone() {
      if (held && !work.isBusy()) bell.ring()
    },
  }
}
