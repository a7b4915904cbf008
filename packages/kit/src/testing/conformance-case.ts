/** One rule of a port as data, so that any test runner can run it. */
export interface ConformanceCase<Harness> {
  /** The rule as a sentence. */
  readonly name: string
  /** Runs the case. Rejects if the rule is broken. */
  run(harness: Harness): Promise<void>
}

/** Creates the object under test. */
export interface SetupHarness<Setup> {
  /** Creates a new, empty setup. */
  create(): Promise<Setup>
}

/**
 * Creates a conformance case with its own setup.
 *
 * @param end cleans the setup up. Called once at the end of the case, whether it passed or not.
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

/** Starts eight calls at once. */
export async function race<Result>(call: (index: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: 8 }, (_, index) => call(index)))
}
