import type { Page, PagePosition, PageRequest } from '../ports/page.ts'
import { toPage } from '../sql/page.ts'

/** Compares places in a list: `createdAt`, then `id`. */
export function comparePositions(a: PagePosition, b: PagePosition): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1
  if (a.id === b.id) return 0
  return a.id < b.id ? -1 : 1
}

/**
 * Index of the first row at or behind `position` in rows that are sorted oldest first.
 */
export function findPlace(rows: readonly PagePosition[], position: PagePosition): number {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const row = rows[middle]
    if (row !== undefined && comparePositions(row, position) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/** Adds a row where it belongs. Rows come in nearly sorted, so the end is tried first. */
export function addSorted<Row extends PagePosition>(rows: Row[], row: Row): void {
  const last = rows.at(-1)
  if (last === undefined || comparePositions(last, row) < 0) rows.push(row)
  else rows.splice(findPlace(rows, row), 0, row)
}

/** Takes a row out, when it is there. */
export function removeSorted<Row extends PagePosition>(rows: Row[], row: Row): void {
  const place = findPlace(rows, row)
  if (rows[place] === row) rows.splice(place, 1)
}

/** One page of rows that are sorted oldest first, read from the newest on. */
export function readPage<Row extends PagePosition>(
  rows: readonly Row[],
  page: PageRequest,
  accepts: (row: Row) => boolean = () => true,
): Page<Row> {
  const found: Row[] = []
  let place = page.after === undefined ? rows.length : findPlace(rows, page.after)
  while (place > 0 && found.length <= page.limit) {
    place -= 1
    const row = rows[place]
    if (row !== undefined && accepts(row)) found.push(row)
  }
  return toPage(found, page.limit, (row) => row)
}
