const brand = Symbol.for('@homeward/skill-store-client/SkillStoreError')

/**
 * Reason for a failure, for programs.
 *
 * - `UNREACHABLE`: the store cannot be reached, or the connection broke.
 * - `TIMEOUT`: a download took longer than `timeoutMs`.
 * - `HTTP`: the store responded with another error. See `status`.
 * - `LICENSE_REQUIRED`: the store responded with 401 or 403, because it requires a valid license token.
 * - `NOT_FOUND`: the store has no such skill, its address returns 404, or the skill is not installed.
 * - `REDIRECTED`: too many redirects, or a redirect to an address that is neither https nor of the same origin.
 * - `TOO_LARGE`: the response is larger than the limit.
 * - `INVALID_REGISTRY`: the registry is not `{"skills": […]}`.
 * - `INVALID_ARCHIVE`: the archive contains a forbidden entry. The message names the entry.
 * - `INVALID_CONTENT`: the content is not a skill, or its YAML is invalid.
 * - `HASH_MISMATCH`: the SHA-256 of the content differs from the registry.
 * - `INVALID_OPTION`: an option or a name is invalid.
 * - `INSTALL_FAILED`: the disk or the program failed. Nothing changed.
 */
export type SkillStoreErrorCode =
  | 'UNREACHABLE'
  | 'TIMEOUT'
  | 'HTTP'
  | 'LICENSE_REQUIRED'
  | 'NOT_FOUND'
  | 'REDIRECTED'
  | 'TOO_LARGE'
  | 'INVALID_REGISTRY'
  | 'INVALID_ARCHIVE'
  | 'INVALID_CONTENT'
  | 'HASH_MISMATCH'
  | 'INVALID_OPTION'
  | 'INSTALL_FAILED'

const retryableCodes: ReadonlySet<SkillStoreErrorCode> = new Set(['UNREACHABLE', 'TIMEOUT', 'HTTP'])

/**
 * The only error that this package throws on purpose.
 *
 * Use {@link code} for decisions; `message` is for people and may change in any release. Contains no license token
 * and no file contents.
 */
export class SkillStoreError extends Error {
  override readonly name = 'SkillStoreError'
  readonly [brand] = true
  readonly code: SkillStoreErrorCode
  /** HTTP status of the store's response, if there was one. */
  readonly status: number | undefined

  constructor(
    code: SkillStoreErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly status?: number } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.code = code
    this.status = options.status
  }

  /** Whether the same call may succeed later without a change by the caller. */
  get retryable(): boolean {
    return retryableCodes.has(this.code) && (this.status === undefined || this.status >= 500)
  }

  /** Like `instanceof`, but also true for an error from another installed copy of this package. */
  static is(value: unknown): value is SkillStoreError {
    return typeof value === 'object' && value !== null && brand in value
  }
}
