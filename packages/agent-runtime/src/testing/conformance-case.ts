import { type ConformanceCase, setupCase } from '@homeward/kit/testing'

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
  return setupCase<StoreSetup<Store>>(
    name,
    (setup) => run(setup.store, setup),
    (setup) => setup.dispose?.(),
  )
}
