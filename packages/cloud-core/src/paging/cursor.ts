import { validationError } from '@homeward/contract/handler'
import type { PagePosition, PageRequest } from '../ports/page.ts'

/** Puts a place in a list into an opaque text. */
export function toCursor(position: PagePosition): string {
  return btoa(toAsciiJson([position.createdAt, position.id]))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** Reads what {@link toCursor} wrote; throws 400 for anything else. */
export function parseCursor(cursor: string): PagePosition {
  try {
    const parts: unknown = JSON.parse(atob(cursor.replaceAll('-', '+').replaceAll('_', '/')))
    if (Array.isArray(parts) && parts.length === 2) {
      const [createdAt, id] = parts as unknown[]
      if (typeof createdAt === 'string' && typeof id === 'string') return { createdAt, id }
    }
  } catch {
    // Falls through to the one answer for every cursor that is not ours.
  }
  throw validationError('cursor: is not one that this list gave. Leave it out to start at the newest.')
}

/** The page that a query asks for. */
export function toPageRequest(
  query: { limit?: number | undefined; cursor?: string | undefined },
  limit: number,
): PageRequest {
  const after = query.cursor === undefined ? undefined : parseCursor(query.cursor)
  return { limit: query.limit ?? limit, ...(after ? { after } : undefined) }
}

/** `nextCursor` of a page, only when there is more (C11). */
export function nextCursorOf(page: { readonly next?: PagePosition | undefined }): { nextCursor?: string } {
  return page.next ? { nextCursor: toCursor(page.next) } : {}
}

/** JSON with everything escaped that base64 has no byte for: a host may make ids of any characters. */
function toAsciiJson(value: unknown): string {
  return JSON.stringify(value).replace(/[\u0080-\uffff]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
