export { CloudStoreError } from '../../ports/cloud-store-error.ts'
export type { CloudStoreErrorCode } from '../../ports/cloud-store-error.ts'
export type { MemoryBlobsOptions } from './create-memory-blobs.ts'
export { createMemoryBlobs } from './create-memory-blobs.ts'
