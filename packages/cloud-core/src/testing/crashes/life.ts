/** Thrown wherever a process goes on that was killed. */
export class ProcessKilledError extends Error {
  override readonly name = 'ProcessKilledError'

  constructor() {
    super('The process was killed')
  }
}

/** Called by an adapter under test wherever its process could be killed; throws once it is. */
export type Crossing = (point: string) => void

/** One process, up to the point where it is killed. */
export interface Life {
  readonly cross: Crossing
  /** Points that were crossed, in order. */
  readonly crossings: readonly string[]
  /** From here on points count. */
  begin(): void
  /** From here on points do not count. */
  end(): void
  isOver(): boolean
}

/** Starts a process that is killed at its `last` point, counted from 1. @param last 0 for never */
export function createLife(last = 0): Life {
  const crossings: string[] = []
  let hasBegun = false
  let isOver = false
  return {
    crossings,
    cross(point) {
      if (isOver) throw new ProcessKilledError()
      if (!hasBegun) return
      crossings.push(point)
      isOver = crossings.length === last
      if (isOver) throw new ProcessKilledError()
    },
    begin: () => {
      hasBegun = true
    },
    end: () => {
      hasBegun = false
    },
    isOver: () => isOver,
  }
}
