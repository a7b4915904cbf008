const brand = Symbol.for('@homeward/cloud-core/CloudStoreError')

/**
 * Reason for a store error.
 *
 * - `CLOSED`: the store was closed.
 * - `CONFLICT`: an id or key hash is already in use.
 * - `DATABASE_NEWER`: a newer release of this package wrote the database.
 * - `DATABASE_OLDER`: an older release wrote the database, and this release cannot upgrade it.
 * - `DATABASE_UNAVAILABLE`: the database could not be opened, read or written.
 * - `BLOB_ID_INVALID`: an id has characters that are not allowed in file names.
 * - `BLOB_LIMIT`: the file is larger than the limit.
 * - `BLOB_UNAVAILABLE`: a file could not be read or written.
 * - `BLOB_REFUSED`: the file service rejects the file until its configuration changes.
 */
export type CloudStoreErrorCode =
  | 'CLOSED'
  | 'CONFLICT'
  | 'DATABASE_NEWER'
  | 'DATABASE_OLDER'
  | 'DATABASE_UNAVAILABLE'
  | 'BLOB_ID_INVALID'
  | 'BLOB_LIMIT'
  | 'BLOB_UNAVAILABLE'
  | 'BLOB_REFUSED'

const retryableCodes = new Set<CloudStoreErrorCode>(['DATABASE_UNAVAILABLE', 'BLOB_UNAVAILABLE'])

/**
 * Error of the storage adapters.
 *
 * Use {@link code} for decisions; `message` is for people and may change in any release. The original error, if any,
 * is in `cause`. Contains no keys, results or file contents.
 */
export class CloudStoreError extends Error {
  override readonly name = 'CloudStoreError'
  readonly [brand] = true
  readonly code: CloudStoreErrorCode

  constructor(code: CloudStoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }

  /** Whether the same call may succeed later without a change by the caller. */
  get retryable(): boolean {
    return retryableCodes.has(this.code)
  }

  /** Like `instanceof`, but also true for an error from another installed copy of this package. */
  static is(value: unknown): value is CloudStoreError {
    return typeof value === 'object' && value !== null && brand in value
  }
}
