import type { VirtualClock } from './virtual-clock.ts'

/** A period of the simulation, in seconds since its start. */
export interface TimeRange {
  readonly fromSeconds: number
  readonly toSeconds: number
}

/**
 * The time of a simulation as its options and its report have it. It is the fleet's clock, but for the stretches that
 * were left out: those are behind without having passed for anybody, so neither device nor cloud sees a clock jump.
 */
export interface FleetSchedule {
  readonly elapsedMs: () => number
  /** Milliseconds that passed for the fleet. */
  readonly livedMs: () => number
  /** Lets time pass. */
  live(forMs: number): Promise<void>
  /** Goes on behind a stretch that is about to begin. */
  leaveOut(stretch: TimeRange): void
  /** In the order of time. */
  readonly skippedRanges: readonly TimeRange[]
}

/** Builds a schedule that begins now. */
export function createFleetSchedule(clock: VirtualClock): FleetSchedule {
  const beganMs = clock.now()
  const skippedRanges: TimeRange[] = []
  let leftOutMs = 0
  const livedMs = () => clock.now() - beganMs
  const elapsedMs = () => livedMs() + leftOutMs

  return {
    elapsedMs,
    livedMs,
    live: (forMs) => clock.advanceTo(clock.now() + forMs),
    leaveOut(stretch) {
      skippedRanges.push(stretch)
      leftOutMs += (stretch.toSeconds - stretch.fromSeconds) * 1000
    },
    skippedRanges,
  }
}
