/** What is old enough to go. Absent fields let everything of their kind stay. Times are ISO 8601 text in UTC. */
export interface RetentionLimits {
  /** Events of the journal from before this time. */
  readonly journalBefore?: string
  /**
   * Maximum number of events in the journal. The oldest are deleted. The newest one always stays: it tells the next number.
   */
  readonly journalEvents?: number
  /**
   * Messages, stream events and ledger of runs that ended before this time, and what their model calls drew from their
   * budgets. The runs and their results stay. Budgets of days and months go that were over before this time.
   */
  readonly runStepsBefore?: string
  /**
   * Runs that ended before this time, with all that belongs to them. Never one that is under way or waits. And
   * messages of channels that were done with before it.
   */
  readonly runsBefore?: string
  /**
   * Most runs that have ended; those that ended first go, with all that belongs to them. Runs that are under way or wait
   * do not count.
   */
  readonly endedRuns?: number
  /**
   * Tasks that ended before this time; their idempotency keys may be used again. Never one that is queued, runs or waits.
   */
  readonly tasksBefore?: string
  /** Entries of the audit from before this time. */
  readonly auditBefore?: string
  /** Maximum number of entries of the audit. The oldest are deleted. */
  readonly auditEntries?: number
}

/** Lets go of what is old. */
export interface Retention {
  /**
   * Removes a limited number of old rows, so that other writes do not wait for long.
   *
   * @returns whether more rows may remain. If so, call the method again.
   */
  prune(limits: RetentionLimits, signal?: AbortSignal): Promise<boolean>
}
