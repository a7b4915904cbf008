import type { Timers } from '../ports/index.ts'
import { createAutoResetEvent } from '@homeward/kit'

/** The pauses between polls, and what heartbeats tell during them (C21). */
export interface PollRest {
  /**
   * Waits `ms`. A heartbeat that tells of work ends it early. Where polls are plain it goes on for as long as
   * heartbeats tell that nothing waits.
   */
  rest(ms: number, signal: AbortSignal): Promise<void>
  /** Whether the last heartbeat told of work. */
  readonly isWanted: () => boolean
  /** Takes the number of waiting requests that a heartbeat told, or undefined when it told none. */
  hint(waiting: number | undefined): void
  /** Tells that a heartbeat failed. */
  noteSilence(): void
  /** Ends the pause under way, or the next one. */
  wake(): void
  /** Forgets a {@link PollRest.wake} that came while nothing rested. */
  reset(): void
}

/** What the pauses depend on. */
interface PollRestOptions {
  readonly intervalMs: number
  /** Whether the cloud answers polls at once. */
  readonly isPlain: () => boolean
  readonly random: () => number
  readonly timers: Timers
}

/** After how many intervals a loop that was told of nothing asks for itself when heartbeats fail. */
const silentIntervals = 10

/** Builds the pauses of one loop. */
export function createPollRest({ intervalMs, isPlain, random, timers }: PollRestOptions): PollRest {
  const wakeup = createAutoResetEvent(timers)
  let waiting: number | undefined
  /** Whether heartbeats fail, so that `waiting` is of before. */
  let silent = false
  let resting = false
  /** Why the pause under way lasts: heartbeats tell that nothing waits, or told so before they failed. */
  let dozing: 'told' | 'unaware' | undefined

  return {
    async rest(ms, signal) {
      resting = true
      await wakeup.wait(ms, signal)
      while (!signal.aborted && isPlain() && waiting === 0) {
        dozing = silent ? 'unaware' : 'told'
        // Heartbeats fail for a whole fleet at once. What none of them tells is asked for, but rarely and spread.
        await wakeup.wait(silent ? silentIntervals * intervalMs * (0.5 + random()) : Infinity, signal)
        const asks = dozing === 'unaware' && silent
        dozing = undefined
        if (asks) break
      }
      resting = false
    },
    isWanted: () => waiting !== undefined && waiting > 0,
    hint(told) {
      waiting = told
      silent = false
      const isNews = told === 0 ? dozing === 'unaware' : told === undefined ? dozing !== undefined : resting
      if (isNews) wakeup.set()
    },
    noteSilence() {
      if (dozing === 'told') wakeup.set()
      silent = true
    },
    wake: () => wakeup.set(),
    reset: () => wakeup.reset(),
  }
}
