import type { Page, PagePosition } from '../ports/page.ts'

/** Cuts a page out of up to `limit + 1` rows: the one too many tells that there is more. */
export function toPage<Row extends PagePosition, Item>(
  found: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
): Page<Item> {
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  const items = rows.map(toItem)
  if (found.length <= limit || last === undefined) return { rows: items }
  return { rows: items, next: { createdAt: last.createdAt, id: last.id } }
}
