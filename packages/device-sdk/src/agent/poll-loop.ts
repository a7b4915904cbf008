import type { PendingList, PendingOptions } from '../client/create-device-client.ts'
import type { AgentContext } from './agent-context.ts'
import type { WorkKind } from './agent-events.ts'
import { backoffMs, jitterMs } from './backoff.ts'
import { createBell, sleep } from './bell.ts'
import { toOwnError } from './is-final.ts'
import { createHoldLimit } from './hold-limit.ts'
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
  /** No poll asks for more, jitter included. */
  readonly maxWaitSeconds: number
}

/** More than any cloud lists at once (C11: 20). */
const maxListed = 100
/** A poll that was under way for so long was held, though its answer never came. */
const shownHoldMs = 2000

/**
 * Builds a loop over one of the pending lists.
 *
 * Where the cloud applies `Prefer: wait` the next poll follows as soon as there is nothing left to do (C22), else
 * after the interval, skipped while heartbeats say that nothing waits (C21). An answer that teaches nothing new
 * and came early is always followed by a pause, whatever the cloud claims.
 *
 * A cloud that restarts lets go of the polls of its whole fleet in one moment. So a poll that failed or was let go
 * early is followed by the next at a random time in the length of a poll, unless a heartbeat tells of work.
 */
export function createPollLoop<Request>(context: AgentContext, setup: PollSetup<Request>): PollLoop {
  const { emit, now, random, intervalMs, timers } = context
  const { kind, work } = setup
  const bell = createBell(timers)
  const pace = createPace(1000, now, timers)
  const holds = createHoldLimit({ ...setup, now, random })
  /** Whether the last answer was held; undefined until the cloud has shown what it does. */
  let held: boolean | undefined
  let waiting: number | undefined
  let failures = 0
  /** Whether a heartbeat that tells of work ends the pause under way. */
  let resting = false
  /** Whether nothing but a heartbeat ends the pause under way. */
  let dozing = false

  async function poll(seconds: number, startedMs: number, signal: AbortSignal) {
    const options = seconds > 0 ? { waitSeconds: seconds } : {}
    const { requests, waitApplied, appliedSeconds = seconds } = await setup.list(options, signal)
    failures = 0
    if (waitApplied) holds.noteHeld()
    held = waitApplied
    const taken = work.take(requests.slice(0, maxListed), signal)
    emit('poll:end', { kind, listed: requests.length, taken, held })
    const tookMs = now() - startedMs
    const isWhole = tookMs >= Math.min(10_000, seconds * 500) && tookMs >= appliedSeconds * 1000 - 1000
    return { taken, letGo: held && requests.length === 0, isWhole }
  }

  /** Waits for the next poll; a hint ends it early, and in a plain loop one that nothing waits puts the poll off. */
  async function rest(ms: number, signal: AbortSignal): Promise<void> {
    resting = true
    await bell.wait(ms, signal)
    const isQuiet = () => !signal.aborted && held === false && waiting === 0
    while (isQuiet()) {
      dozing = true
      await bell.wait(Number.POSITIVE_INFINITY, signal)
      dozing = false
      // Heartbeats fail for a whole fleet at once: what they do not tell is asked for at another time.
      if (waiting === undefined) await bell.wait(jitterMs(intervalMs, random), signal)
    }
    resting = false
  }

  const ordinaryMs = () => jitterMs(intervalMs, random)
  /** Some time in the length of a held poll: half of it at least, one and a half times at most. */
  const spreadMs = () =>
    Math.max(intervalMs, Math.min(2 * intervalMs, setup.waitSeconds * 1000)) * (0.5 + random())

  async function backOff(cause: unknown, brokeOffMs: number, signal: AbortSignal): Promise<void> {
    const error = toOwnError(cause, `Listing pending ${kind}`)
    context.noteError(error)
    failures += 1
    if (brokeOffMs >= shownHoldMs) held ??= true
    holds.noteBroken(brokeOffMs)
    const pauseMs = backoffMs({ failures, retryAfterMs: error.retryAfterMs, random })
    // A loop that works is never faster for a failure: a fleet that hurries back comes as a herd.
    const { retryAfterMs = 0 } = error
    const ordinaryPauseMs = held === undefined ? 0 : held ? retryAfterMs + spreadMs() : ordinaryMs()
    const retryInMs = Math.max(pauseMs, ordinaryPauseMs)
    emit('poll:error', { kind, error, retryInMs })
    await sleep(pauseMs, signal, timers)
    bell.reset()
    if (retryInMs > pauseMs && !signal.aborted) await rest(retryInMs - pauseMs, signal)
  }

  return {
    async run(signal) {
      held = undefined
      holds.reset()
      while (!signal.aborted) {
        await context.admitted(signal)
        await pace(signal)
        if (signal.aborted) return
        bell.reset()
        const startedMs = now()
        const seconds = holds.next()
        try {
          const { letGo, isWhole } = await poll(seconds, startedMs, signal)
          if (!letGo) await rest(ordinaryMs(), signal)
          else if (!isWhole) await rest(spreadMs(), signal)
        } catch (cause) {
          if (signal.aborted) return
          await backOff(cause, seconds > 0 ? now() - startedMs : 0, signal)
        }
      }
    },
    pollOnce: async (signal) => (await poll(0, now(), signal)).taken,
    hint(told) {
      waiting = told
      if (told === undefined ? dozing : resting && told > 0) bell.ring()
    },
    noteDone() {
      if (held && !work.isBusy()) bell.ring()
    },
  }
}
