/** Selects a part of a list. */
export interface PageRequest {
  /** Maximum number of rows. */
  readonly limit: number
  /** `nextCursor` of the previous page. The format is opaque. */
  readonly cursor?: string | undefined
}

/** Part of a list. */
export interface Page<Row> {
  readonly rows: readonly Row[]
  /** Present if there are more rows. */
  readonly nextCursor?: string
}
