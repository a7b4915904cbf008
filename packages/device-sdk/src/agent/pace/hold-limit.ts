import { jitterMs } from '@homeward/kit'

/** How long polls ask to be held (C22). */
export interface HoldLimit {
  /** Seconds for the next poll, with the jitter of an ordinary interval; 0 to not ask for it. */
  next(): number
  /** Tells that the cloud held a poll, or answered one that could be held. */
  noteHeld(): void
  /** Tells that a poll which asked to be held broke off after `ms`. */
  noteBroken(ms: number): void
  /** Forgets what was told. */
  reset(): void
}

/** What a hold depends on. */
interface HoldOptions {
  /** What to ask for, and what after that where connections break; 0, or nothing more, to not ask for it. */
  readonly waits: readonly number[]
  /** No poll asks for more, jitter included. */
  readonly maxWaitSeconds: number
  readonly now: () => number
  readonly random: () => number
}

/** Broken polls in a row after which something between here and the cloud seems not to let them be held for so long. */
const maxBroken = 3
/** What breaks off sooner was never held. */
const minBrokenMs = 5000
/** How long less is asked for then, before it is tried again. */
const shorterForMs = 600_000

/** Builds the limit. */
export function createHoldLimit({ waits, maxWaitSeconds, now, random }: HoldOptions): HoldLimit {
  let step = 0
  let broken = 0
  let brokenAtMs = 0
  return {
    next() {
      if (step > 0 && Math.abs(now() - brokenAtMs) >= shorterForMs) {
        step = 0
        broken = maxBroken - 1
      }
      const seconds = waits[step] ?? 0
      return seconds === 0 ? 0 : Math.min(maxWaitSeconds, Math.max(1, Math.round(jitterMs(seconds, random))))
    },
    noteHeld() {
      broken = 0
    },
    noteBroken(ms) {
      if (ms < minBrokenMs) return
      broken += 1
      brokenAtMs = now()
      if (broken < maxBroken) return
      step += 1
      broken = 0
    },
    reset() {
      step = 0
      broken = 0
    },
  }
}
