const brand = Symbol.for('@homeward/kit/SqlFailure')

/**
 * The kind of a database failure.
 *
 * - `conflict`: an id or key is already in use, or a referenced row does not exist.
 * - `unavailable`: the database cannot be opened, reached, read or written.
 * - `newer`: a newer release wrote the database.
 * - `older`: an older release wrote the database, and this release cannot upgrade it.
 * - `in-doubt`: the connection broke during a commit. The change may have been made.
 * - `invalid`: a setting is invalid.
 */
export type SqlFailureKind = 'conflict' | 'unavailable' | 'newer' | 'older' | 'in-doubt' | 'invalid'

/** Details of a {@link SqlFailure}. */
export interface SqlFailureOptions {
  /** The error of the database or its driver. @default no cause */
  readonly cause?: unknown
  /** Whether the same call may succeed later without a change by the caller. @default false */
  readonly retryable?: boolean
}

/**
 * A failure of a database. Each package turns it into its own error.
 *
 * The message follows `<Doing X> failed: <fact>. <Fix>.` and never contains data, passwords or connection strings.
 * The original failure is in `cause`.
 */
export class SqlFailure extends Error {
  override readonly name = 'SqlFailure'
  readonly [brand] = true
  readonly kind: SqlFailureKind
  /** Whether the same call may succeed later without a change by the caller. */
  readonly retryable: boolean

  constructor(kind: SqlFailureKind, message: string, options: SqlFailureOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.kind = kind
    this.retryable = options.retryable ?? false
  }

  /** Like `instanceof`, but also true for an error from another installed copy of this package. */
  static is(value: unknown): value is SqlFailure {
    return typeof value === 'object' && value !== null && brand in value
  }
}
