/** One promise of a port, as data: any test runner can run it. */
export interface ConformanceCase<Harness> {
  /** The promise, as a sentence. */
  readonly name: string
  /** Resolves when the promise is kept and rejects when it is not. */
  run(harness: Harness): Promise<void>
}

/** How a kit gets what it tries. */
export interface SetupHarness<Setup> {
  /** A new, empty setup. */
  create(): Promise<Setup>
}

/**
 * A case over one new setup.
 *
 * @param end lets the setup go. Called once, at the end of the case, whether it passed or not.
 */
export function setupCase<Setup>(
  name: string,
  run: (setup: Setup) => Promise<void>,
  end: (setup: Setup) => Promise<void> | undefined,
): ConformanceCase<SetupHarness<Setup>> {
  return {
    name,
    async run(harness) {
      const setup = await harness.create()
      try {
        await run(setup)
      } finally {
        await end(setup)
      }
    },
  }
}

/** Runs eight calls at once. */
export async function race<Result>(call: (index: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: 8 }, (_, index) => call(index)))
}
