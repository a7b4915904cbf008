import * as z from 'zod/mini'
import { isTimestamp } from './is-timestamp.ts'

/** A time as a query parameter: ISO 8601 with an offset, because a server cannot interpret a local time. */
export const TimestampParameter = z.stringFormat(
  'datetime',
  (value) => isTimestamp(value) && /(?:Z|[+-]\d\d:\d\d)$/.test(value),
)

/** A page size as a query parameter. */
export const limitParameter = (max: number) =>
  z.optional(
    z.pipe(
      z.string().check(z.regex(/^\d{1,9}$/, 'must be an integer')),
      z.pipe(z.transform(Number), z.int().check(z.gte(1), z.lte(max))),
    ),
  )

/** A boolean as a query parameter: `true` or `false`. */
export const booleanParameter = z.optional(
  z.pipe(
    z.enum(['true', 'false']),
    z.pipe(
      z.transform((flag: 'true' | 'false') => flag === 'true'),
      z.boolean(),
    ),
  ),
)

/** Cursor of the next page: the `nextCursor` of the previous page. The format is opaque. */
export const Cursor = z.string().check(z.minLength(1), z.maxLength(512))
