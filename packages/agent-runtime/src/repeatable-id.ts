import { createHash } from 'node:crypto'
import { RuntimeError } from './runtime-error.ts'

/**
 * An id that a request gets again when it is sent again: a UUID of version 8 (RFC 9562, section 5.8), made of a SHA-256 over
 * its idempotency key and all that it says. The same key with other content gives another id.
 */
export function repeatableId(key: string, content: readonly unknown[]): string {
  const bytes = createHash('sha256')
    .update(JSON.stringify([key, ...content]))
    .digest()
    .subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x80
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Writes something under an id of {@link repeatableId}: what is there already was written by the same request. */
export async function writeOnce(isRepeatable: boolean, write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (!isRepeatable || !RuntimeError.is(error) || error.code !== 'conflict') throw error
  }
}
