const maxKnown = 10_000

/** Remembers how many steps runs have, so that a step is written without looking. */
export interface StepNumbers {
  /** Number of a run's next step, unless another process has written one meanwhile; undefined when it is not known. */
  next(runId: string): number | undefined
  /** Says which number a run's newest step has. */
  set(runId: string, number: number): void
  forget(runId: string): void
}

/** Knows no run yet. A number that was given and not used leaves a gap, which does no harm. */
export function createStepNumbers(): StepNumbers {
  const newest = new Map<string, number>()
  return {
    next(runId) {
      const number = newest.get(runId)
      if (number === undefined) return undefined
      newest.set(runId, number + 1)
      return number + 1
    },
    set(runId, number) {
      if (newest.size >= maxKnown) newest.clear()
      newest.set(runId, number)
    },
    forget: (runId) => void newest.delete(runId),
  }
}
