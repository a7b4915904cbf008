/** Rows that are always in order. */
export interface OrderedRows<Row> {
  /** In order. Not to be changed from outside. */
  readonly rows: readonly Row[]
  add(row: Row): void
  /** Takes a row out, as long as nothing that it is sorted by has changed since it was added. */
  remove(row: Row): void
}

/** Empty rows. `compare` must tell any two rows apart. */
export function createOrderedRows<Row>(compare: (a: Row, b: Row) => number): OrderedRows<Row> {
  const rows: Row[] = []

  /** Index of the first row that does not go before this one. */
  function placeOf(row: Row): number {
    let low = 0
    let high = rows.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const other = rows[middle]
      if (other !== undefined && compare(other, row) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  return {
    rows,
    add: (row) => void rows.splice(placeOf(row), 0, row),
    remove(row) {
      const place = placeOf(row)
      if (rows[place] !== row) return
      if (place === 0) rows.shift() // what is taken is first, and an array gives that up cheaply
      else rows.splice(place, 1)
    },
  }
}
