import type { ListNotes, PendingOptions } from '../client/create-device-client.ts'
import type { DeviceCloudError } from '../device-cloud-error.ts'
import type { AgentContext } from './agent-context.ts'
import { jitterMs, sleep } from '@homeward/kit'
import { nextAttempt, noteReconnect, paceAfter } from './pace/next-attempt.ts'
import { toOwnError } from './is-final.ts'
import { createHoldLimit } from './pace/hold-limit.ts'
import { createPace } from './pace/pace.ts'
import type { PendingWork } from './pending-work.ts'
import { createPollRest, type PollRest } from './poll-rest.ts'

/** One loop that asks for pending work. Heartbeats tell it when to (C21). */
interface PollLoop extends Pick<PollRest, 'hint' | 'noteSilence'> {
  /** Polls until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>
  /** Asks once, without holding, and starts what is new. @throws {DeviceCloudError} */
  pollOnce(signal: AbortSignal): Promise<number>
}

/** What came of one request. */
export interface PollOutcome extends ListNotes {
  readonly listed: number
  /** How many of them were not known. */
  readonly taken: number
}

/** What a poll loop asks, and how long the cloud may hold the answer. */
interface PollOptions {
  /** Asks, and starts what is new. */
  readonly ask: (options: PendingOptions, signal: AbortSignal) => Promise<PollOutcome>
  /** What {@link PollOptions.ask} does, for errors. */
  readonly attempt: string
  readonly onError: (error: DeviceCloudError, retryInMs: number) => void
  /** What is started. */
  readonly works: readonly Pick<PendingWork<never>, 'isBusy' | 'onDone'>[]
  /** Resolves while this loop is to ask. */
  readonly active: (signal: AbortSignal) => Promise<void>
  /** Whether a request says what the device has, so that the next one may follow at once. */
  readonly saysKnown?: boolean
  /** Seconds to ask for, and less where connections break; empty to not ask for it. */
  readonly waits: readonly number[]
  /** No poll asks for more, jitter included. */
  readonly maxWaitSeconds: number
  /** Milliseconds between two requests that were held to their end, at least. @default 0 */
  readonly minPeriodMs?: number
  /** Whether the first poll comes at a random time in the length of one, for a fleet that boots together. */
  readonly spreadFirst: boolean
}

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
 * early is followed by the next when that was due anyway, unless a heartbeat tells of work, or the cloud said before that
 * its devices are few enough to return at once.
 */
export function createPollLoop(context: AgentContext, options: PollOptions): PollLoop {
  const { now, random, intervalMs, timers, reconnect } = context
  const { works, waits, saysKnown = false, minPeriodMs = 0 } = options
  const pace = createPace(1000, now, timers)
  const holds = createHoldLimit({ ...options, now, random })
  /** Whether the last answer was held; undefined until the cloud has shown what it does. */
  let held: boolean | undefined
  let failures = 0
  const isPlain = () => held === false || waits.length === 0
  const pause = createPollRest({ intervalMs, isPlain, random, timers })
  // A held poll may follow at once.
  for (const work of works)
    work.onDone(() => {
      if (held && !works.some(({ isBusy }) => isBusy())) pause.wake()
    })

  const ordinaryMs = () => jitterMs(intervalMs, random)
  /** About the length of a held poll, in sight of the interval. */
  const heldMs = Math.max(intervalMs, Math.min(2 * intervalMs, (waits[0] ?? 0) * 1000))
  const periodMs = () => (held === undefined ? 0 : held ? heldMs : intervalMs)
  /** What was left of a poll that was let go, and a back-off at least: the cloud may be about to restart. */
  const restOfHoldMs = (elapsedMs: number) =>
    nextAttempt({ failures: 1, random, elapsedMs, ...paceAfter(reconnect, heldMs) }).retryInMs

  async function poll(seconds: number, startedMs: number, signal: AbortSignal) {
    const outcome = await options.ask(seconds > 0 ? { waitSeconds: seconds } : {}, signal)
    const { listed, taken, waitApplied, appliedSeconds = seconds } = outcome
    failures = 0
    noteReconnect(reconnect, outcome)
    if (waitApplied) holds.noteHeld()
    held = waitApplied
    const tookMs = now() - startedMs
    const isWhole = tookMs >= Math.min(10_000, seconds * 500) && tookMs >= appliedSeconds * 1000 - 1000
    return { taken, letGo: held && listed === 0, isWhole }
  }

  function noteBroken(elapsedMs: number): void {
    if (elapsedMs >= shownHoldMs) held ??= true
    holds.noteBroken(elapsedMs)
  }

  async function backOff(cause: unknown, elapsedMs: number, signal: AbortSignal): Promise<void> {
    const error = toOwnError(cause, options.attempt)
    context.noteError(error)
    failures += 1
    const { retryAfterMs } = error
    const input = { failures, retryAfterMs, random, elapsedMs, ...paceAfter(reconnect, periodMs()) }
    const { pauseMs, retryInMs } = nextAttempt(input)
    options.onError(error, retryInMs)
    await sleep(pauseMs, signal, timers)
    pause.reset()
    if (!signal.aborted) await pause.rest(retryInMs - pauseMs, signal)
  }

  async function pollAndRest(signal: AbortSignal): Promise<void> {
    pause.reset()
    const startedMs = now()
    const seconds = holds.next()
    try {
      const { taken, letGo, isWhole } = await poll(seconds, startedMs, signal)
      const elapsedMs = now() - startedMs
      if (saysKnown && held && taken > 0) return
      if (!letGo) await pause.rest(ordinaryMs(), signal)
      else if (!isWhole) await pause.rest(restOfHoldMs(elapsedMs), signal)
      else if (elapsedMs < minPeriodMs && elapsedMs > minPeriodMs / 2)
        await pause.rest(minPeriodMs - elapsedMs, signal)
    } catch (cause) {
      if (signal.aborted) return
      const elapsedMs = now() - startedMs
      if (seconds > 0) noteBroken(elapsedMs)
      await backOff(cause, elapsedMs, signal)
    }
  }

  return {
    hint: pause.hint,
    noteSilence: pause.noteSilence,
    async run(signal) {
      held = undefined
      failures = 0
      holds.reset()
      await context.admitted(signal)
      await options.active(signal)
      if (options.spreadFirst && !pause.isWanted()) await pause.rest(random() * heldMs, signal)
      while (!signal.aborted) {
        await options.active(signal)
        await context.admitted(signal)
        await pace(signal)
        if (!signal.aborted) await pollAndRest(signal)
      }
    },
    pollOnce: async (signal) => (await poll(0, now(), signal)).taken,
  }
}
