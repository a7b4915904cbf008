/** Part of a list. */
export interface PagePart<Row, Place> {
  readonly rows: readonly Row[]
  /** Cursor of the next part. Absent at the end. */
  readonly next?: Place | undefined
}

/** A page to read. */
export interface BoundedPage<Row, Place> {
  /** Maximum number of rows, at least 1. */
  readonly limit: number
  /** Cursor to start after. Absent: from the beginning. */
  readonly after: Place | undefined
  /** Reads a part of the list. */
  readonly read: (limit: number, after: Place | undefined) => Promise<PagePart<Row, Place>>
  /** Returns the approximate size of a row in the response, in bytes. @default its length as JSON */
  readonly sizeOf?: (row: Row) => number
  /** The page ends after the part that reaches this size in bytes. @default 8388608 */
  readonly maxBytes?: number
}

/** Rows of the first part, which tells how large they are. */
const firstRows = 10

/**
 * Reads a page of rows with a limit on its size in memory.
 *
 * A page that grows too large ends early, with a cursor for the rest. Small rows are read in two parts, large rows in
 * more, so that memory never holds many more bytes than `maxBytes`.
 */
export async function readBoundedPage<Row, Place>({
  limit,
  after,
  read,
  sizeOf = (row) => JSON.stringify(row).length,
  maxBytes = 8 * 1024 * 1024,
}: BoundedPage<Row, Place>): Promise<PagePart<Row, Place>> {
  const rows: Row[] = []
  let bytes = 0
  let next = after
  do {
    const room = rows.length === 0 ? firstRows : Math.floor((maxBytes - bytes) / (bytes / rows.length + 1))
    const part = await read(Math.min(limit - rows.length, Math.max(1, room)), next)
    rows.push(...part.rows)
    for (const row of part.rows) bytes += sizeOf(row)
    next = part.next
  } while (next !== undefined && rows.length < limit && bytes < maxBytes)
  return { rows, next }
}
