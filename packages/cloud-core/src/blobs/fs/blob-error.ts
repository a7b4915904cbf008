import { CloudStoreError } from '../../ports/cloud-store-error.ts'

/** What a caller sees of a failure of the file system. Anything else passes as it is. */
export function toBlobError(error: unknown, attempt: string): unknown {
  if (!(error instanceof Error) || CloudStoreError.is(error) || !('syscall' in error)) return error
  const reason =
    'code' in error && error.code === 'ENOSPC'
      ? 'the disk is full. Free some space'
      : 'the operating system rejected it. Check the folder and its mode'
  return new CloudStoreError('BLOB_UNAVAILABLE', `${attempt} failed: ${reason}.`, { cause: error })
}
