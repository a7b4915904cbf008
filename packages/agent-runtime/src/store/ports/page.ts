/** A request for part of a list. */
export interface PageRequest {
  /** Largest number of rows. */
  readonly limit: number
  /** As `nextCursor` of the page before gave it; opaque to callers. */
  readonly cursor?: string | undefined
}

/** Part of a list. */
export interface Page<Row> {
  readonly rows: readonly Row[]
  /** Present if there are more. */
  readonly nextCursor?: string
}
