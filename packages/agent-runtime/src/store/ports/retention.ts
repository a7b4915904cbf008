/** Limits for old rows. Absent fields keep all rows of their kind. Times are ISO 8601 text in UTC. */
export interface RetentionLimits {
  /** Removes journal events from before this time. */
  readonly journalBefore?: string
  /**
   * Maximum number of journal events. The oldest are deleted. The newest one always stays, because it determines the
   * next number.
   */
  readonly journalEvents?: number
  /**
   * Removes messages, stream events, ledger entries and budget entries of runs that ended before this time. The runs
   * and their results stay. Budgets of days and months that ended before this time are removed too.
   */
  readonly runStepsBefore?: string
  /**
   * Removes runs that ended before this time with all their data, never active or waiting ones. Also removes channel
   * messages that were finished before this time.
   */
  readonly runsBefore?: string
  /**
   * Maximum number of ended runs. The runs that ended first are removed with all their data. Active and waiting runs
   * do not count.
   */
  readonly endedRuns?: number
  /**
   * Removes tasks that ended before this time, never queued, running or waiting ones. Their idempotency keys can be
   * used again.
   */
  readonly tasksBefore?: string
  /** Removes audit entries from before this time. */
  readonly auditBefore?: string
  /** Maximum number of audit entries. The oldest are deleted. */
  readonly auditEntries?: number
}

/** Removes old rows. */
export interface Retention {
  /**
   * Removes a limited number of old rows, so that other writes do not wait for long.
   *
   * @returns whether more rows may remain. If so, call the method again.
   */
  prune(limits: RetentionLimits, signal?: AbortSignal): Promise<boolean>
}
