/** Where rows stand in order: a time, then an id. */
export type OrderOf<Row> = (row: Row) => readonly [time: string, id: string]

/** Index of the first row at or behind a place, in rows that are sorted oldest first. */
export function findPlace<Row>(
  rows: readonly Row[],
  orderOf: OrderOf<Row>,
  [time, id]: readonly [string, string],
): number {
  let low = 0
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

/** Adds a row where it belongs. Most come in order, and adding at the end costs nothing. */
export function addSorted<Row>(rows: Row[], orderOf: OrderOf<Row>, row: Row): void {
  const newest = rows.at(-1)
  const order = orderOf(row)
  if (newest === undefined || isBefore(orderOf(newest), order)) rows.push(row)
  else rows.splice(findPlace(rows, orderOf, order), 0, row)
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
