export { CloudStoreError } from '../../ports/cloud-store-error.ts'
export type { CloudStoreErrorCode } from '../../ports/cloud-store-error.ts'
export { createReplicatedBlobs, type ReplicatedBlobsOptions } from './create-replicated-blobs.ts'
