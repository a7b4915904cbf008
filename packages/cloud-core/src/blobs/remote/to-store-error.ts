import { CloudStoreError } from '../../ports/cloud-store-error.ts'
import { RemoteFailure } from '../../remote/remote-failure.ts'

/** What callers of a file store see of a failed request. Anything else passes as it is. */
export function toStoreError(error: unknown, attempt: string): unknown {
  if (!(error instanceof RemoteFailure)) return error
  const isRefusal = !error.transient && error.status !== undefined
  const code = isRefusal ? 'BLOB_REFUSED' : 'BLOB_UNAVAILABLE'
  return new CloudStoreError(code, `${attempt} failed: ${error.message}.`, { cause: error })
}
