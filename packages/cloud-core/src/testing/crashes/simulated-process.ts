/** Thrown wherever a process goes on that was killed. */
class ProcessKilledError extends Error {
  override readonly name = 'ProcessKilledError'

  constructor() {
    super('The process was killed')
  }
}

/** Called by the tested adapter wherever its process could be killed. Throws once the process is killed. */
export type OnCrashPoint = (point: string) => void

/** A point of a process: the n-th of a round, counted from 1. */
export interface Place {
  readonly round: number
  readonly point: number
}

/** When a process is killed: so many points further than another one was. */
export interface Death {
  readonly behind: Place
  readonly step: number
}

/** One process, up to the point where it is killed. */
export interface SimulatedProcess {
  readonly cross: OnCrashPoint
  /** The point that it is at. */
  readonly place: Place
  /** The last point that it crossed. */
  readonly crossing: string
  /** How many points it came further than the place behind which it is to be killed. */
  readonly gained: number
  /** From here on points count, as those of this round. */
  enter(round: number): void
  /** From here on points do not count. */
  end(): void
  isOver(): boolean
}

const never: Death = { behind: { round: 0, point: 0 }, step: Infinity }

/** Starts a process that is killed then, or never. */
export function createSimulatedProcess({ behind, step }: Death = never): SimulatedProcess {
  let place: Place = { round: -1, point: 0 }
  let left = behind.point + step
  let crossing = ''
  let hasBegun = false
  return {
    get place() {
      return place
    },
    get crossing() {
      return crossing
    },
    get gained() {
      return Math.max(0, step - left)
    },
    cross(point) {
      if (left === 0) throw new ProcessKilledError()
      if (!hasBegun) return
      crossing = point
      place = { ...place, point: place.point + 1 }
      if (place.round >= behind.round) left -= 1
      if (left === 0) throw new ProcessKilledError()
    },
    enter(round) {
      hasBegun = true
      // A race may have taken fewer points this time: nothing of the next round is passed over for them.
      if (place.round === behind.round) left = Math.min(left, step)
      place = { round, point: 0 }
    },
    end() {
      hasBegun = false
    },
    isOver: () => left === 0,
  }
}
