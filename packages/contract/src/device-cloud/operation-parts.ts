import * as z from 'zod/mini'
import { Id } from './text.ts'

/** Devices that an operation is about: 1 to 1,000. */
export const deviceIds = z.array(Id).check(z.minLength(1), z.maxLength(1000))

/** Header that makes a creation safe to repeat. */
export const idempotencyKey = {
  name: 'Idempotency-Key',
  description:
    'Up to 255 characters. A repeat with the same key and body within 24 h gets the first answer and creates nothing (C20).',
}
