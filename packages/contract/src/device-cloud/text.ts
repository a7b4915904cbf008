import * as z from 'zod/mini'
import { isTimestamp } from './is-timestamp.ts'

// Halves of a surrogate pair cannot be stored as UTF-8, control characters break lists and logs.
/** Text that any store can hold and any list or log can show: without control characters. */
export const printable = z.regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not hold control characters or broken Unicode')

/** Trimmed text of 1 to `max` characters without control characters. */
export const boundedString = (max: number) =>
  z.string().check(z.trim(), z.minLength(1), z.maxLength(max), printable)

/** Name of a device: at least one visible character, and no marks that change the writing direction. */
export const deviceName = boundedString(200).check(
  z.regex(
    /^(?=.*[^\p{Cf}\p{Z}\p{M}\u115f\u1160\u2800\u3164\uffa0])[^\u202a-\u202e\u2066-\u2069]*$/u,
    'must hold a visible character and no direction marks',
  ),
)

/** Identifier created by the cloud: opaque, 1 to 128 characters. */
export const Id = z.string().check(z.minLength(1), z.maxLength(128))

/**
 * ISO 8601 date and time, with or without seconds and offset. Stored as a string; the cloud writes UTC with
 * milliseconds.
 */
export const Timestamp = z.stringFormat('datetime', isTimestamp)
