import { CloudStoreError } from '../ports/cloud-store-error.ts'

/** Refuses an id with characters that could point elsewhere. @throws {CloudStoreError} `BLOB_ID_INVALID`. */
export function assertBlobId(id: string, maxLength = 128): void {
  if (id.length <= maxLength && isBlobId(id)) return
  throw new CloudStoreError(
    'BLOB_ID_INVALID',
    `Opening a file failed: its id must be 1 to ${maxLength} of A-Z, a-z, 0-9, - and _. Use the id that the cloud created.`,
  )
}

/** Whether text can be the id of a file. */
export function isBlobId(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,128}$/.test(text)
}

/** For an id under which there is a file already. */
export function blobIdTaken(): CloudStoreError {
  return new CloudStoreError('CONFLICT', 'Storing a file failed: its id is already in use. Create a new one.')
}
