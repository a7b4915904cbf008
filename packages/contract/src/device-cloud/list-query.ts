import * as z from 'zod/mini'
import { isTimestamp } from './is-timestamp.ts'

/** A moment as it stands in a query string: ISO 8601 with its offset, for "local time" means nothing to a server. */
export const TimestampParameter = z.stringFormat(
  'datetime',
  (value) => isTimestamp(value) && /(?:Z|[+-]\d\d:\d\d)$/.test(value),
)

/** Page size as it stands in a query string. */
export const limitParameter = (max: number) =>
  z.optional(
    z.pipe(
      z.string().check(z.regex(/^\d{1,9}$/, 'must be an integer')),
      z.pipe(z.transform(Number), z.int().check(z.gte(1), z.lte(max))),
    ),
  )

/** Yes or no as it stands in a query string: `true` or `false`. */
export const booleanParameter = z.optional(
  z.pipe(
    z.enum(['true', 'false']),
    z.pipe(
      z.transform((flag: 'true' | 'false') => flag === 'true'),
      z.boolean(),
    ),
  ),
)

/** Cursor of the next page: the `nextCursor` of the page before. Do not parse it. */
export const Cursor = z.string().check(z.minLength(1), z.maxLength(512))
