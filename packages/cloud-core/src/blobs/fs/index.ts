export { CloudStoreError } from '../../ports/cloud-store-error.ts'
export type { CloudStoreErrorCode } from '../../ports/cloud-store-error.ts'
export type { FsBlobsOptions } from './create-fs-blobs.ts'
export { createFsBlobs } from './create-fs-blobs.ts'
