import { SqlFailure, type SqlFailureKind } from '@homeward/kit/sql'
import { RuntimeError, type RuntimeErrorCode } from '../ports/runtime-error.ts'

const codes: Readonly<Record<SqlFailureKind, RuntimeErrorCode>> = {
  conflict: 'conflict',
  unavailable: 'storage_error',
  newer: 'storage_error',
  older: 'storage_error',
  'in-doubt': 'storage_error',
  invalid: 'validation_error',
}

/** The error that a caller of a store sees of a failure of its database. Anything else passes as it is. */
export function toRuntimeError(error: unknown): unknown {
  if (!SqlFailure.is(error)) return error
  const { kind, message, cause, retryable } = error
  return new RuntimeError(codes[kind], message, { cause, retryable })
}
