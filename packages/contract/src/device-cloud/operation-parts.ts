import * as z from 'zod/mini'
import { Id } from './text.ts'

/** Devices that an operation is about: 1 to 1,000. */
export const deviceIds = z.array(Id).check(z.minLength(1), z.maxLength(1000))

/** Header that has a list held until there is work. */
export const preferWait = {
  name: 'Prefer',
  description:
    '`wait=N` (RFC 7240, N <= 60) holds the answer until there is work or N seconds passed; the answer then carries `Preference-Applied` (C22).',
}
/** Header that makes a creation safe to repeat. */
export const idempotencyKey = {
  name: 'Idempotency-Key',
  description:
    'Up to 255 characters. A repeat with the same key and body within 24 h gets the first answer and creates nothing (C20).',
}
