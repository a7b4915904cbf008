/** Place of a row in a list that is ordered by `createdAt`, then `id`. */
export interface PagePosition {
  /** ISO 8601, UTC, milliseconds. */
  readonly createdAt: string
  readonly id: string
}

/** Which part of a newest-first list to read. */
export interface PageRequest {
  /** How many rows at the most, 1 to 1,000. */
  readonly limit: number
  /** Start behind this row. Absent: at the newest. */
  readonly after?: PagePosition
}

/** Part of a list, newest first. */
export interface Page<Row> {
  readonly rows: readonly Row[]
  /** Where the next page starts; absent when there is nothing more. */
  readonly next?: PagePosition
}
