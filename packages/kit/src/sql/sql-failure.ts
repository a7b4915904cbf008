const brand = Symbol.for('@homeward/kit/SqlFailure')

/**
 * What went wrong, as far as what to do about it depends on it.
 *
 * - `conflict`: an id or key is in use already, or a row that is referred to does not exist.
 * - `unavailable`: the database cannot be opened, reached, read or written.
 * - `newer`: a newer release wrote the database.
 * - `older`: an older release wrote the database, and this release cannot bring it up to date.
 * - `in-doubt`: the connection broke while a change was committed. The change may have been made.
 * - `invalid`: a setting cannot work.
 */
export type SqlFailureKind = 'conflict' | 'unavailable' | 'newer' | 'older' | 'in-doubt' | 'invalid'

/** Particulars of a {@link SqlFailure}. */
export interface SqlFailureOptions {
  /** What the database or its driver threw. @default none */
  readonly cause?: unknown
  /** Whether the same call may succeed later without a change. @default false */
  readonly retryable?: boolean
}

/**
 * A failure of a database, for a package to turn into an error of its own.
 *
 * The message is for people: it follows `<Doing X> failed: <fact>. <Fix>.` and never holds what was written, a password or
 * a connection string. The original failure is in `cause`.
 */
export class SqlFailure extends Error {
  override readonly name = 'SqlFailure'
  readonly [brand] = true
  readonly kind: SqlFailureKind
  /** Whether the same call may succeed later without the caller changing anything. */
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
