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
  /** 0 to not ask for it. */
  readonly waitSeconds: number
  /** No poll asks for more, jitter included. */
  readonly maxWaitSeconds: number
  readonly now: () => number
  readonly random: () => number
}

/** Broken polls in a row after which something between here and the cloud seems not to let them be held. */
const maxBroken = 3
/** What breaks off sooner was never held. */
const minBrokenMs = 5000
/** How long polls are plain then, before it is tried again. */
const plainForMs = 600_000

/** Builds the limit. */
export function createHoldLimit({ waitSeconds, maxWaitSeconds, now, random }: HoldOptions): HoldLimit {
  let broken = 0
  let brokenAtMs = 0
  return {
    next() {
      const isPlain = broken >= maxBroken && Math.abs(now() - brokenAtMs) < plainForMs
      if (isPlain || waitSeconds === 0) return 0
      return Math.min(maxWaitSeconds, Math.max(1, Math.round(jitterMs(waitSeconds, random))))
    },
    noteHeld() {
      broken = 0
    },
    noteBroken(ms) {
      if (ms < minBrokenMs) return
      broken += 1
      brokenAtMs = now()
    },
    reset() {
      broken = 0
    },
  }
}
