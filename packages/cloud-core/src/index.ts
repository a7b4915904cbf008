export {
  createAccessGuard,
  HttpError,
  type AccessGuardOptions,
  type RequestView,
} from '@homeward/contract/handler'
export { createCloud, type Cloud } from './create-cloud.ts'
export type { UserCall } from './cloud-context.ts'
export type { CloudEvents } from './cloud-events.ts'
export type { CloudOptions } from './cloud-options.ts'
export { maxMetadataBytes, mergeMetadata } from './devices/merge-metadata.ts'
export { createLocalSessions } from './sessions/local-sessions.ts'
export { expiredSearchError } from './searches/expiry.ts'
export { canceledUploadError, expiredUploadError } from './uploads/expiry.ts'
export { CloudStoreError, type CloudStoreErrorCode } from './ports/cloud-store-error.ts'
export type {
  AuditFilter,
  AuditStore,
  BlobContent,
  BlobLinks,
  BlobRange,
  BlobStore,
  CloudSignal,
  CloudStore,
  CreateOutcome,
  DeviceByKey,
  DeviceStore,
  LeaseOutcome,
  NewAuditEntry,
  NewBlob,
  NewSearch,
  NewUpload,
  Once,
  Page,
  PagePosition,
  PageRequest,
  PendingCounts,
  SearchFilter,
  SearchOutcome,
  SearchStore,
  Session,
  Sessions,
  SettleOutcome,
  StoredBlob,
  StoredDevice,
  StoredFile,
  StoredKey,
  StoredSearch,
  StoredUpload,
  Touch,
  UploadAlready,
  UploadFilter,
  UploadLease,
  UploadOutcome,
  UploadStore,
} from './ports/index.ts'
export type { Timers } from '@homeward/kit'
export type { Tracer, TracerSpan } from './ports/tracer.ts'
