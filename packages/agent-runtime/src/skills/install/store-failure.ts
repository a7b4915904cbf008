import { SkillStoreError, type SkillStoreErrorCode } from '@homeward/skill-store-client'
import { RuntimeError, type RuntimeErrorCode } from '../../ports/runtime-error.ts'

const codes: Readonly<Record<SkillStoreErrorCode, RuntimeErrorCode>> = {
  UNREACHABLE: 'store_unavailable',
  TIMEOUT: 'store_unavailable',
  HTTP: 'store_unavailable',
  LICENSE_REQUIRED: 'license_required',
  NOT_FOUND: 'not_found',
  REDIRECTED: 'store_unavailable',
  TOO_LARGE: 'invalid_skill',
  INVALID_REGISTRY: 'store_unavailable',
  INVALID_ARCHIVE: 'invalid_skill',
  INVALID_CONTENT: 'invalid_skill',
  HASH_MISMATCH: 'invalid_skill',
  INVALID_OPTION: 'validation_error',
  INSTALL_FAILED: 'storage_error',
}

/** What the store client reports, in the runtime's terms; anything else as it is. */
export function toRuntimeError(error: unknown): unknown {
  if (!SkillStoreError.is(error)) return error
  const { code, status, message } = error
  // A slug that is not there is the caller's mistake; an address of the store that is gone is the store's.
  const isGone = code === 'NOT_FOUND' && status !== undefined
  return new RuntimeError(isGone ? 'store_unavailable' : codes[code], message, {
    cause: error,
    retryable: error.retryable,
    ...(status !== undefined && { details: { status } }),
  })
}
