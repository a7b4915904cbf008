import { SqlFailure, type SqlFailureKind } from '@homeward/kit/sql'
import { CloudStoreError, type CloudStoreErrorCode } from '../ports/cloud-store-error.ts'

const codes: Readonly<Record<Exclude<SqlFailureKind, 'invalid'>, CloudStoreErrorCode>> = {
  conflict: 'CONFLICT',
  unavailable: 'DATABASE_UNAVAILABLE',
  newer: 'DATABASE_NEWER',
  older: 'DATABASE_OLDER',
  'in-doubt': 'DATABASE_UNAVAILABLE',
}

/** The error that a caller of a store sees of a failure of its database. Anything else passes as it is. */
export function toStoreError(error: unknown): unknown {
  if (!SqlFailure.is(error)) return error
  const { kind, message, cause } = error
  return kind === 'invalid' ? new TypeError(message) : new CloudStoreError(codes[kind], message, { cause })
}
