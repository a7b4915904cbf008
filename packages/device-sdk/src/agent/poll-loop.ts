import type { PendingList, PendingOptions } from '../client/create-device-client.ts'
import type { InvalidRequest } from '../client/pending-rows.ts'
import { DeviceCloudError } from '../device-cloud-error.ts'
import type { AgentContext } from './agent-context.ts'
import type { WorkKind } from './agent-events.ts'
import { jitterMs, sleep } from '@homeward/kit'
import { nextAttempt } from './pace/next-attempt.ts'
import { toOwnError } from './is-final.ts'
import { createHoldLimit } from './pace/hold-limit.ts'
import { createPace } from './pace/pace.ts'
import { createPollRest, type PollRest } from './poll-rest.ts'
import { createRecentIds } from './recent-ids.ts'

/** What is done with listed requests. */
export interface PendingWork<Request> {
  /**
   * Starts what is not known yet; gives how many that were.
   *
   * @param chunkBytes How large the cloud wants chunks of uploads to be; undefined where it does not offer them (C25).
   */
  take(requests: readonly Request[], signal: AbortSignal, chunkBytes: number | undefined): number
  /** Whether anything started is still under way. */
  isBusy(): boolean
  /** Resolves when nothing that was started runs any more. */
  whenIdle(): Promise<void>
  /** Calls `listener` whenever the cloud has what came of a request. */
  onDone(listener: () => void): void
}

/** One loop that asks for pending work. Heartbeats tell it when to (C21). */
interface PollLoop extends Pick<PollRest, 'hint' | 'noteSilence'> {
  /** Polls until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>
  /** Asks once, without holding, and starts what is new. @throws {DeviceCloudError} */
  pollOnce(signal: AbortSignal): Promise<number>
}

/** What a poll loop asks, and how long the cloud may hold the answer. */
export interface PollOptions<Request> {
  readonly kind: WorkKind
  readonly list: (options: PendingOptions, signal: AbortSignal) => Promise<PendingList<Request>>
  readonly work: PendingWork<Request>
  /** 0 to not ask for it. */
  readonly waitSeconds: number
  /** No poll asks for more, jitter included. */
  readonly maxWaitSeconds: number
  /** Whether the first poll comes at a random time in the length of one, for a fleet that boots together. */
  readonly spreadFirst: boolean
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
 * early is followed by the next when that was due anyway, unless a heartbeat tells of work.
 */
export function createPollLoop<Request>(context: AgentContext, options: PollOptions<Request>): PollLoop {
  const { emit, now, random, intervalMs, timers } = context
  const { kind, work, waitSeconds } = options
  const pace = createPace(1000, now, timers)
  const holds = createHoldLimit({ ...options, now, random })
  /** Whether the last answer was held; undefined until the cloud has shown what it does. */
  let held: boolean | undefined
  let failures = 0
  const told = createRecentIds(1000)
  const isPlain = () => held === false || waitSeconds === 0
  const pause = createPollRest({ intervalMs, isPlain, random, timers })
  // A held poll may follow at once.
  work.onDone(() => {
    if (held && !work.isBusy()) pause.wake()
  })

  const ordinaryMs = () => jitterMs(intervalMs, random)
  /** About the length of a held poll, in sight of the interval. */
  const heldMs = Math.max(intervalMs, Math.min(2 * intervalMs, waitSeconds * 1000))
  const periodMs = () => (held === undefined ? 0 : held ? heldMs : intervalMs)
  /** What was left of a poll that was let go, and a back-off at least: the cloud may be about to restart. */
  const restOfHoldMs = (elapsedMs: number) =>
    nextAttempt({ failures: 1, random, periodMs: heldMs, elapsedMs }).retryInMs

  function tellOnce({ id, field }: InvalidRequest): void {
    if (told.has(id)) return
    told.add(id)
    const message = `Reading a listed request failed: field "${field}" is invalid.`
    emit('request:error', { kind, id, error: new DeviceCloudError('BAD_REPLY', message) })
  }

  async function poll(seconds: number, startedMs: number, signal: AbortSignal) {
    const list = await options.list(seconds > 0 ? { waitSeconds: seconds } : {}, signal)
    const { requests, invalid = [], waitApplied, appliedSeconds = seconds } = list
    failures = 0
    invalid.slice(0, maxListed).forEach(tellOnce)
    if (waitApplied) holds.noteHeld()
    held = waitApplied
    const taken = work.take(requests.slice(0, maxListed), signal, list.uploadChunkBytes)
    emit('poll:end', { kind, listed: requests.length, taken, held })
    const tookMs = now() - startedMs
    const isWhole = tookMs >= Math.min(10_000, seconds * 500) && tookMs >= appliedSeconds * 1000 - 1000
    return { taken, letGo: held && requests.length === 0, isWhole }
  }

  function noteBroken(elapsedMs: number): void {
    if (elapsedMs >= shownHoldMs) held ??= true
    holds.noteBroken(elapsedMs)
  }

  async function backOff(cause: unknown, elapsedMs: number, signal: AbortSignal): Promise<void> {
    const error = toOwnError(cause, `Listing pending ${kind}`)
    context.noteError(error)
    failures += 1
    const { retryAfterMs } = error
    const input = { failures, retryAfterMs, random, periodMs: periodMs(), elapsedMs }
    const { pauseMs, retryInMs } = nextAttempt(input)
    emit('poll:error', { kind, error, retryInMs })
    await sleep(pauseMs, signal, timers)
    pause.reset()
    if (!signal.aborted) await pause.rest(retryInMs - pauseMs, signal)
  }

  async function pollAndRest(signal: AbortSignal): Promise<void> {
    pause.reset()
    const startedMs = now()
    const seconds = holds.next()
    try {
      const { letGo, isWhole } = await poll(seconds, startedMs, signal)
      if (!letGo) await pause.rest(ordinaryMs(), signal)
      else if (!isWhole) await pause.rest(restOfHoldMs(now() - startedMs), signal)
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
      if (options.spreadFirst && !pause.isWanted()) await pause.rest(random() * heldMs, signal)
      while (!signal.aborted) {
        await context.admitted(signal)
        await pace(signal)
        if (!signal.aborted) await pollAndRest(signal)
      }
    },
    pollOnce: async (signal) => (await poll(0, now(), signal)).taken,
  }
}
