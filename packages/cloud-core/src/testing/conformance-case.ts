/** One promise of a port, as data: any test runner can run it. */
export interface ConformanceCase<Harness> {
  /** The promise, as a sentence. */
  readonly name: string
  /** Resolves when the promise is kept and rejects when it is not. */
  run(harness: Harness): Promise<void>
}
