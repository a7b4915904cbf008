import { must, optionsOf, type OptionRule } from '@homeward/kit'

/** How long the cloud stores what has ended, in days each: a number above 0, or `forever` (C31). */
export interface RetentionOptions {
  /** Results of a search, counted from its end. The search stays, with `resultsGone: true`. Catalogs of devices, from their `asOf`. @default "forever" */
  readonly resultsDays?: number | 'forever'
  /** Searches, counted from their end. @default "forever" */
  readonly searchesDays?: number | 'forever'
  /** Upload requests with their files, counted from their end. @default "forever" */
  readonly filesDays?: number | 'forever'
}

const maxDays = 36_500
const days = must(
  `be a number greater than 0 and at most ${maxDays}, or "forever"`,
  (value) => value === 'forever' || (typeof value === 'number' && value > 0 && value <= maxDays),
)

/** What they must be. */
export const retentionRule: OptionRule = /* @__PURE__ */ optionsOf<RetentionOptions>({
  resultsDays: days,
  searchesDays: days,
  filesDays: days,
})

/** Days that the audit is stored. */
export const auditDays: OptionRule = /* @__PURE__ */ must(
  'be a number greater than 0, or "forever"',
  (value) => value === 'forever' || (typeof value === 'number' && value > 0 && value <= maxDays),
)
