import { RuntimeError } from '../ports/runtime-error.ts'
import type { Page, PageRequest } from './ports/page.ts'

/** Place of a row in a list: what the list is sorted by. */
export type Position = readonly (string | number)[]

/** Puts a place in a list into an opaque text. */
export function toCursor(position: Position): string {
  const bytes = new TextEncoder().encode(JSON.stringify(position))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/**
 * Reads what {@link toCursor} wrote.
 *
 * @throws {RuntimeError} `validation_error` for anything else.
 */
export function parseCursor<Shape extends Position>(
  cursor: string,
  isShape: (position: readonly unknown[]) => position is Shape,
): Shape {
  try {
    const bytes = Uint8Array.from(atob(cursor.replaceAll('-', '+').replaceAll('_', '/')), toByte)
    const position: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    if (Array.isArray(position) && isShape(position)) return position
  } catch {
    // Falls through to the one answer for every cursor that is not ours.
  }
  throw strangeCursor()
}

/** The one error for every cursor that a list did not give. */
export const strangeCursor = () =>
  new RuntimeError(
    'validation_error',
    'Reading a list failed: "cursor" does not belong to this list. Leave "cursor" out to start at the beginning.',
  )

/** A time and an id, as cursors hold them. */
type TimePosition = readonly [time: string, id: string]

/** Where a page of a list that is sorted by time begins. */
export function timePositionOf(page: PageRequest): TimePosition | undefined {
  return page.cursor === undefined ? undefined : parseCursor(page.cursor, isTimePosition)
}

/** Where a page of a list that is sorted by number begins. */
export function numberPositionOf(page: PageRequest): number | undefined {
  return page.cursor === undefined ? undefined : parseCursor(page.cursor, isNumberPosition)[0]
}

/** Cuts a page out of up to `limit + 1` rows: the one too many tells that there is more. */
export function toPage<Row, Item>(
  found: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
  toPosition: (row: Row) => Position,
): Page<Item> {
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  const items = rows.map(toItem)
  if (found.length <= limit || last === undefined) return { rows: items }
  return { rows: items, nextCursor: toCursor(toPosition(last)) }
}

const toByte = (character: string) => character.charCodeAt(0)

function isTimePosition(position: readonly unknown[]): position is TimePosition {
  return position.length === 2 && position.every((part) => typeof part === 'string')
}

function isNumberPosition(position: readonly unknown[]): position is readonly [number] {
  return position.length === 1 && Number.isSafeInteger(position[0])
}
