/** Part of a list. */
export interface PagePart<Row, Place> {
  readonly rows: readonly Row[]
  /** Where the list goes on; absent at its end. */
  readonly next?: Place | undefined
}

/** A page to be read. */
export interface BoundedPage<Row, Place> {
  /** How many rows at the most, 1 or more. */
  readonly limit: number
  /** Absent: from the beginning. */
  readonly after: Place | undefined
  /** Reads a part of the list. */
  readonly read: (limit: number, after: Place | undefined) => Promise<PagePart<Row, Place>>
  /** About how many bytes a row takes in the answer. @default its length as JSON */
  readonly sizeOf?: (row: Row) => number
  /** The page ends behind the part that reaches it. @default 8388608 */
  readonly maxBytes?: number
}

/** Rows of the first part, which tells how large they are. */
const firstRows = 10

/**
 * Reads a page of rows whose size others choose: one that grows too large ends before its limit, and says where it goes on.
 * It is read in two parts where rows are small, and in as many as it takes where they are not, so that there are never many
 * more of them in memory than `maxBytes`.
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
