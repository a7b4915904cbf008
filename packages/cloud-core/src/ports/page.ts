/** Position of a row in a list that is sorted by `createdAt`, then `id`. */
export interface PagePosition {
  /** ISO 8601 in UTC with milliseconds. */
  readonly createdAt: string
  readonly id: string
}

/** Selects a page of a list, newest first. */
export interface PageRequest {
  /** Maximum number of rows, 1 to 1,000. */
  readonly limit: number
  /** Row to start after. Absent: start with the newest row. */
  readonly after?: PagePosition
}

/** Part of a list, newest first. */
export interface Page<Row> {
  readonly rows: readonly Row[]
  /** Position of the next page. Absent on the last page. */
  readonly next?: PagePosition
}
