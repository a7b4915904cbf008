/** Something that several model calls draw on: a run with all it starts, or an agent's day. */
export interface BudgetAccount {
  /** Such as `run:<id>` or `agent:<id>:2026-11-21`. */
  readonly key: string
  /** Input and output tokens together. */
  readonly maxTokens?: number
  /** Millionths of a US dollar. */
  readonly maxMicroUsd?: number
  /** Share of it, from 0 to 1, at which a person is asked. */
  readonly askAt?: number
}

/** What a model call will cost at the most. */
export interface BudgetReservation {
  /** Unique to this call, and the same when it is asked for again after a crash. */
  readonly id: string
  /** Accounts that are charged. The amount must fit into each of them. */
  readonly accounts: readonly BudgetAccount[]
  readonly tokens: number
  readonly microUsd: number
}

/** What was drawn from an account, with what is reserved. */
export interface BudgetBalance {
  readonly tokens: number
  readonly microUsd: number
}

/** Where spending is counted. Implementations must pass `budgetStoreConformance`. */
export interface BudgetStore {
  /**
   * Reserves all of it on every account, or nothing on any. A reservation that is there already, or was settled, counts
   * once and is granted again.
   *
   * @returns `refused` with the account that has too little left.
   */
  reserveBudget(
    reservation: BudgetReservation,
    signal?: AbortSignal,
  ): Promise<
    | { readonly outcome: 'reserved' }
    | { readonly outcome: 'refused'; readonly key: string; readonly balance: BudgetBalance }
  >
  /** Puts what a call did cost in the place of what was reserved for it. Safe to repeat; unknown ids are ignored. */
  settleBudget(
    settlement: { readonly id: string; readonly tokens: number; readonly microUsd: number },
    signal?: AbortSignal,
  ): Promise<void>
  /** Zero for an account that nothing was drawn from. */
  readBudget(key: string, signal?: AbortSignal): Promise<BudgetBalance>
}
