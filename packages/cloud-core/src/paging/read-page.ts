import type { Page, PageRequest } from '../ports/page.ts'

/** What {@link readPage} needs to know. */
export interface PageReader<Row> {
  /** Reads a part of the list. */
  readonly read: (page: PageRequest) => Promise<Page<Row>>
  /** About how many bytes a row takes in the answer. */
  readonly sizeOf: (row: Row) => number
  /** How many rows are read at a time. */
  readonly step: number
  /** The page ends behind the step that reaches it. */
  readonly maxBytes: number
}

/**
 * Reads a page of rows whose size others choose: one that grows too large ends before its limit, and says where it goes on.
 * Rows are read in steps, so that there are never more of them in memory than the last step brings over `maxBytes`.
 */
export async function readPage<Row>(
  { limit, after }: PageRequest,
  { read, sizeOf, step, maxBytes }: PageReader<Row>,
): Promise<Page<Row>> {
  const rows: Row[] = []
  let bytes = 0
  let next = after
  do {
    const part = await read({ limit: Math.min(step, limit - rows.length), ...(next && { after: next }) })
    rows.push(...part.rows)
    for (const row of part.rows) bytes += sizeOf(row)
    next = part.next
  } while (next && rows.length < limit && bytes < maxBytes)
  return { rows, ...(next && { next }) }
}
