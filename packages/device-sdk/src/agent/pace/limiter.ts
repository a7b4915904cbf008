/** Runs jobs in the order they came, a few at a time. */
interface Limiter {
  /** Settles like `job`. */
  readonly run: <T>(job: () => Promise<T>) => Promise<T>
  /** Whether a job runs or waits. */
  readonly isBusy: () => boolean
  /** Resolves when no job runs or waits any more. */
  readonly whenIdle: () => Promise<void>
}

/** Builds a limiter. p-queue would do the same for an eighth of the package's whole byte budget. */
export function createLimiter(concurrency: number): Limiter {
  const jobs = new Set<Promise<unknown>>()
  const waiting: (() => void)[] = []
  let running = 0

  async function turn<T>(job: () => Promise<T>): Promise<T> {
    if (running >= concurrency) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await job()
    } finally {
      // A waiting job takes this one's place, so nobody can slip in between.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }

  return {
    async run(job) {
      const ended = turn(job)
      jobs.add(ended)
      try {
        return await ended
      } finally {
        jobs.delete(ended)
      }
    },
    isBusy: () => jobs.size > 0,
    async whenIdle() {
      while (jobs.size > 0) await Promise.allSettled(jobs)
    },
  }
}
