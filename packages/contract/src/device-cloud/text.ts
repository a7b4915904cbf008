import * as z from 'zod/mini'

// Halves of a surrogate pair cannot be stored as UTF-8, control characters break lists and logs.
const readable = z.regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not hold control characters or broken Unicode')

/** Trimmed text of 1 to `max` characters, none of them a control character. */
export const text = (max: number) => z.string().check(z.trim(), z.minLength(1), z.maxLength(max), readable)

/** Identifier as the cloud made it: opaque, 1 to 128 characters. */
export const Id = z.string().check(z.minLength(1), z.maxLength(128))

/** ISO 8601 date and time, with or without an offset. Kept as text; the cloud writes UTC with milliseconds. */
export const Timestamp = z.iso.datetime({ offset: true, local: true })

/** A moment as it stands in a query string: ISO 8601 with its offset, for "local time" means nothing to a server. */
export const Moment = z.iso.datetime({ offset: true })

/** Page size as it stands in a query string. */
export const limitText = (max: number) =>
  z.optional(
    z.pipe(
      z.string().check(z.regex(/^\d{1,9}$/, 'must be a whole number')),
      z.pipe(z.transform(Number), z.int().check(z.gte(1), z.lte(max))),
    ),
  )

/** Place in a list, as `nextCursor` gave it. Opaque. */
export const Cursor = z.string().check(z.minLength(1), z.maxLength(512))
