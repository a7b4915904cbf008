/** How long the cloud stores what has ended, in days each: a number above 0, or `forever` (C31). */
export interface RetentionOptions {
  /** Results of a search, counted from its end. The search stays, with `resultsGone: true`. @default "forever" */
  readonly resultsDays?: number | 'forever'
  /** Searches, counted from their end. @default "forever" */
  readonly searchesDays?: number | 'forever'
  /** Upload requests with their files, counted from their end. @default "forever" */
  readonly filesDays?: number | 'forever'
}

const known = { resultsDays: true, searchesDays: true, filesDays: true } as const satisfies Record<
  keyof RetentionOptions,
  true
>
const maxDays = 36_500

/** @throws {TypeError} that names the option and what it must be. */
export function checkRetention(retention: RetentionOptions | undefined): void {
  for (const [name, days] of Object.entries<unknown>({ ...retention })) {
    if (!Object.hasOwn(known, name))
      throw new TypeError(
        `Creating the cloud failed: "retention.${name.slice(0, 100)}" is not an option. Use one of ${Object.keys(known).join(', ')}.`,
      )
    const isDays = typeof days === 'number' && days > 0 && days <= maxDays
    if (days !== undefined && days !== 'forever' && !isDays)
      throw new TypeError(
        `Creating the cloud failed: "retention.${name}" must be a number greater than 0 and at most ${maxDays}, or "forever".`,
      )
  }
}
