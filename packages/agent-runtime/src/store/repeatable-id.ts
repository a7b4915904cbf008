import { createHash } from 'node:crypto'
import { RuntimeError } from '../ports/runtime-error.ts'

/**
 * An id that a request gets again when it is sent again: a UUID of version 8 (RFC 9562, section 5.8), made of a SHA-256 over
 * its idempotency key and what else tells it from others.
 */
export function repeatableId(key: string, parts: readonly unknown[]): string {
  const bytes = createHash('sha256')
    .update(JSON.stringify([key, ...parts]))
    .digest()
    .subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x80
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/**
 * Writes something under an id of {@link repeatableId}: what is there already was written by the same request.
 *
 * @param assertSame Throws when it was written by another one. Left out where the id is made of all that is written.
 */
export async function writeOnce(write: () => Promise<void>, assertSame?: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (!RuntimeError.is(error) || error.code !== 'conflict') throw error
    await assertSame?.()
  }
}

/** What a key is answered that was sent with something else before: whoever sent it made a mistake. */
export function usedKey(attempt: string, what: string): RuntimeError {
  return new RuntimeError(
    'conflict',
    `${attempt} failed: this idempotency key was used for another ${what}. Send a new key, or the same request as before.`,
  )
}
