/** One promise of a port, as data: any test runner can run it. */
export interface ConformanceCase<Harness> {
  /** The promise, as a sentence. */
  readonly name: string
  /** Resolves when the promise is kept and rejects when it is not. */
  run(harness: Harness): Promise<void>
}

/** A new, empty store to try, and what can be done with it. */
export interface StoreSetup<Store> {
  readonly store: Store
  /** Lets `store` go and opens the same storage again, where it outlives a process. */
  readonly reopen?: () => Promise<Store>
  /** Lets everything go that the setup made. Called once, at the end of the case, whether it passed or not. */
  readonly dispose?: () => Promise<void>
}

/** How a kit gets stores. */
export interface StoreHarness<Store> {
  /** A new, empty store. */
  create(): Promise<StoreSetup<Store>>
}

/** A case over one new store. */
export function storeCase<Store>(
  name: string,
  run: (store: Store, setup: StoreSetup<Store>) => Promise<void>,
): ConformanceCase<StoreHarness<Store>> {
  return {
    name,
    async run(harness) {
      const setup = await harness.create()
      try {
        await run(setup.store, setup)
      } finally {
        await setup.dispose?.()
      }
    },
  }
}

/** Runs eight calls at once. */
export async function race<Result>(call: (index: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: 8 }, (_, index) => call(index)))
}
