export { CloudStoreError } from '../../ports/cloud-store-error.ts'
export type { CloudStoreErrorCode } from '../../ports/cloud-store-error.ts'
export type { FolderBlobsOptions } from './create-folder-blobs.ts'
export { createFolderBlobs } from './create-folder-blobs.ts'
