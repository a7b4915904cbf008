/** Says when something is due, across the parts of a process. */
export interface ApprovalClock {
  /** Says that an approval of this process is due at this time, in milliseconds since the epoch. */
  note(dueMs: number): void
  /** Calls the listener at each `note`; there is one at most. */
  listen(listener: (dueMs: number) => void): void
}

/** Builds a clock that nobody listens to yet. */
export function createApprovalClock(): ApprovalClock {
  let listener: ((dueMs: number) => void) | undefined
  return {
    note: (dueMs) => listener?.(dueMs),
    listen(given) {
      listener = given
    },
  }
}
