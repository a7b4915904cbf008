export { CloudStoreError } from '../../ports/cloud-store-error.ts'
export type { CloudStoreErrorCode } from '../../ports/cloud-store-error.ts'
export { createS3Blobs } from './create-s3-blobs.ts'
export type { S3BlobsOptions, S3Links } from './s3-options.ts'
