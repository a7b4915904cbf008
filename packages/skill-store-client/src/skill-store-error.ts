const brand = Symbol.for('@homeward/skill-store-client/SkillStoreError')

/**
 * What went wrong, for programs.
 *
 * - `UNREACHABLE`: the store cannot be reached, or the connection broke.
 * - `TIMEOUT`: a download took longer than `timeoutMs`.
 * - `HTTP`: the store answered with another error; `status` says which.
 * - `LICENSE_REQUIRED`: the store answered 401 or 403: it wants a valid license token.
 * - `NOT_FOUND`: the store has no such skill, or nothing is at its address; or it is not installed.
 * - `REDIRECTED`: the store redirects to where it may not: neither https nor its own origin, or too often.
 * - `TOO_LARGE`: the answer is larger than its limit.
 * - `INVALID_REGISTRY`: the registry is not `{"skills": […]}`.
 * - `INVALID_ARCHIVE`: the archive holds what is refused; the message names the entry.
 * - `INVALID_CONTENT`: the content is no skill, or its YAML cannot be read.
 * - `HASH_MISMATCH`: the content has another SHA-256 than the registry says.
 * - `INVALID_OPTION`: an option or a name cannot be used.
 * - `INSTALL_FAILED`: the disk refused it, or the program failed; nothing changed.
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
 * Branch on {@link code}; `message` is for people and may change in any release. Never holds a license token or the
 * content of a file.
 */
export class SkillStoreError extends Error {
  override readonly name = 'SkillStoreError'
  readonly [brand] = true
  readonly code: SkillStoreErrorCode
  /** HTTP status of the store's answer, when there was one. */
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

  /** Whether the same call may succeed later without the caller changing anything. */
  get retryable(): boolean {
    return retryableCodes.has(this.code) && (this.status === undefined || this.status >= 500)
  }

  /** Like `instanceof`, but also true for an error from another installed copy of this package. */
  static is(value: unknown): value is SkillStoreError {
    return typeof value === 'object' && value !== null && brand in value
  }
}
