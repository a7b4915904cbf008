import { createHash } from 'node:crypto'

/** Longest id that is stored: indexes of databases take no text of any length. */
const maxId = 200

/** An id of any length as one of at most 200 characters that no other id gives. */
export function toShortId(id: string): string {
  if (id.length <= maxId) return id
  return `${id.slice(0, 100)}:${createHash('sha256').update(id).digest('hex')}`
}
