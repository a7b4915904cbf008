import type * as z from 'zod/mini'
import en from 'zod/v4/locales/en.js'

type Issue = z.core.$ZodIssue

const english = en().localeError

/**
 * Returns English texts for zod issues. Passed to each parse call, so no global configuration changes.
 *
 * A missing field is reported as missing, because `undefined` does not exist in JSON.
 */
export const describeIssue: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'invalid_type' && issue.input === undefined)
    return `is missing, expected ${issue.expected}`
  // Clocks write times in many ways, which an author finds out by an example only: one that stands in a query as it is.
  if (issue.code === 'invalid_format' && issue.format === 'datetime')
    return 'must be ISO 8601, such as 2026-01-31T22:59:59Z'
  return english(issue)
}

/** A key that the caller made up may be megabytes long, and there may be thousands; the answer need not be. */
const maxFieldLength = 200
const maxMessageLength = 1000

/** Describes the first problems of a request in one sentence: the field as the caller wrote it, and the problem. */
export function describeIssues(issues: readonly Issue[], place: string): string {
  const texts = issues.slice(0, 3).map((issue) => {
    const field = issue.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')
    const name = field === '' ? place : field.replace(/^\./, '')
    return `${name.slice(0, maxFieldLength)}: ${issue.message.slice(0, maxMessageLength)}`
  })
  if (issues.length > 3) texts.push(`and ${issues.length - 3} more`)
  return texts.join('; ')
}
