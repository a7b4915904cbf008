import type * as z from 'zod/mini'
import en from 'zod/v4/locales/en.js'

type Issue = z.core.$ZodIssue

const english = en().localeError

/**
 * English texts for zod's issues, passed with each parse so that no global configuration is touched. What JSON, a form or a
 * query does not hold is missing there: callers need not know what `undefined` is.
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

/** One sentence for the first problems of a request: the field as the caller wrote it, then what is wrong. */
export function describeIssues(issues: readonly Issue[], place: string): string {
  const texts = issues.slice(0, 3).map((issue) => {
    const field = issue.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')
    const name = field === '' ? place : field.replace(/^\./, '')
    return `${name.slice(0, maxFieldLength)}: ${issue.message.slice(0, maxMessageLength)}`
  })
  if (issues.length > 3) texts.push(`and ${issues.length - 3} more`)
  return texts.join('; ')
}
