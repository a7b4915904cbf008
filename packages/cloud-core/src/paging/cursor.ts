import { validationError } from '@homeward/contract/handler'
import type { PagePosition, PageRequest } from '../ports/page.ts'

/**
 * Puts a place in a list into an opaque text.
 *
 * @param list - names the filter that the list was read with; the cursor then continues no other list.
 */
export function toCursor(position: PagePosition, list = ''): string {
  const place = [position.createdAt, position.id, ...(list === '' ? [] : [toTag(list)])]
  return btoa(toAsciiJson(place)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Reads what {@link toCursor} wrote; throws 400 for anything else. */
export function parseCursor(cursor: string, list = ''): PagePosition {
  const parts = readParts(cursor)
  const [createdAt, id, tag] = parts
  if (typeof createdAt === 'string' && typeof id === 'string' && parts.length <= 3) {
    if (tag === (list === '' ? undefined : toTag(list))) return { createdAt, id }
    if (tag === undefined || typeof tag === 'number') {
      throw validationError(
        'cursor: belongs to a list with another filter. Repeat that filter, or omit the cursor to start at the newest entry.',
      )
    }
  }
  throw validationError('cursor: is not a cursor of this list. Omit it to start at the newest entry.')
}

/** What a cursor holds; an empty list for one that is not ours. */
function readParts(cursor: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(atob(cursor.replaceAll('-', '+').replaceAll('_', '/')))
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}

/** A number that stands for a filter: FNV-1a. It tells filters apart that were mixed up, and keeps nothing secret. */
function toTag(list: string): number {
  let hash = 0x811c9dc5
  for (let place = 0; place < list.length; place += 1)
    hash = Math.imul(hash ^ list.charCodeAt(place), 0x01000193)
  return hash >>> 0
}

/** The page that a query asks for. `list` as in {@link toCursor}. */
export function toPageRequest(
  query: { limit?: number | undefined; cursor?: string | undefined },
  limit: number,
  list = '',
): PageRequest {
  const after = query.cursor === undefined ? undefined : parseCursor(query.cursor, list)
  return { limit: query.limit ?? limit, ...(after ? { after } : undefined) }
}

/** `nextCursor` of a page, only when there is more (C11). */
export function nextCursorOf(
  page: { readonly next?: PagePosition | undefined },
  list = '',
): { nextCursor?: string } {
  return page.next ? { nextCursor: toCursor(page.next, list) } : {}
}

/** JSON with everything escaped that base64 has no byte for: a host may make ids of any characters. */
function toAsciiJson(value: unknown): string {
  return JSON.stringify(value).replace(/[\u0080-\uffff]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
