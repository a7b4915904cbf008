export { CloudStoreError } from '../../ports/cloud-store-error.ts'
export type { CloudStoreErrorCode } from '../../ports/cloud-store-error.ts'
export { createDriveBlobs } from './create-drive-blobs.ts'
export type { DriveBlobsOptions, ServiceAccount } from './drive-options.ts'
