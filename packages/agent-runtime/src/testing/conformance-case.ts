import { type ConformanceCase, setupCase } from '@homeward/kit/testing'

/** A new, empty store to test, with functions to reopen and remove it. */
export interface StoreSetup<Store> {
  readonly store: Store
  /** Closes `store` and opens the same storage again, if it outlives a process. */
  readonly reopen?: () => Promise<Store>
  /** Removes everything that the setup created. Called once at the end of the case, whether it passed or not. */
  readonly dispose?: () => Promise<void>
}

/** Creates stores for a conformance kit. */
export interface StoreHarness<Store> {
  /** Creates a new, empty store. */
  create(): Promise<StoreSetup<Store>>
}

/** A case over one new store. */
export function storeCase<Store>(
  name: string,
  run: (store: Store, setup: StoreSetup<Store>) => Promise<void>,
): ConformanceCase<StoreHarness<Store>> {
  return setupCase<StoreSetup<Store>>(
    name,
    (setup) => run(setup.store, setup),
    (setup) => setup.dispose?.(),
  )
}
