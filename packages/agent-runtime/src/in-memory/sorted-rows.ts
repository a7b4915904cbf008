/** Where rows stand in order: a time, then an id. */
export type OrderOf<Row> = (row: Row) => readonly [time: string, id: string]

/** Index of the first row at or behind a place, in rows that are sorted oldest first; none of those before `from` is. */
export function findPlace<Row>(
  rows: readonly Row[],
  orderOf: OrderOf<Row>,
  [time, id]: readonly [string, string],
  from = 0,
): number {
  let low = from
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const row = rows[middle]
    if (row === undefined) break
    const [rowTime, rowId] = orderOf(row)
    if (rowTime < time || (rowTime === time && rowId < id)) low = middle + 1
    else high = middle
  }
  return low
}

/** Adds a row where it belongs: nearly always at the end, or among those of the last millisecond. */
export function addSorted<Row>(rows: Row[], orderOf: OrderOf<Row>, row: Row): void {
  const order = orderOf(row)
  let low = rows.length
  for (let step = 1; low > 0 && isBefore(order, orderOf(rows[low - 1]!)); step *= 2)
    low = Math.max(0, low - step)
  if (low === rows.length) rows.push(row)
  else rows.splice(findPlace(rows, orderOf, order, low), 0, row)
}

function isBefore(a: ReturnType<OrderOf<unknown>>, b: ReturnType<OrderOf<unknown>>): boolean {
  return a[0] < b[0] || (a[0] === b[0] && a[1] < b[1])
}

/** Takes many rows out: each of the others is moved once. */
export function removeAll<Row>(rows: Row[], gone: ReadonlySet<Row>): void {
  let length = 0
  for (const row of rows) if (!gone.has(row)) rows[length++] = row
  rows.length = length
}

/** Takes a row out, when it is there. */
export function removeSorted<Row>(rows: Row[], orderOf: OrderOf<Row>, row: Row): void {
  const place = findPlace(rows, orderOf, orderOf(row))
  if (rows[place] === row) rows.splice(place, 1)
}
