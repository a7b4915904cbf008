import { must, optionsOf, type OptionRule } from '@homeward/kit'

/** Retention periods in days: a number above 0, or `forever`. */
export interface RetentionOptions {
  /**
   * Days after a search has ended until its results are deleted. The search stays, with `resultsGone: true`. Device
   * catalogs are deleted as many days after their `asOf`.
   *
   * @default "forever"
   */
  readonly resultsDays?: number | 'forever'
  /** Days after a search has ended until it is deleted. @default "forever" */
  readonly searchesDays?: number | 'forever'
  /** Days after an upload request has ended until the request and its file are deleted. @default "forever" */
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
