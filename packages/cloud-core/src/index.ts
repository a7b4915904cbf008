export { createCloud, type Cloud } from './create-cloud.ts'
export type { UserCall } from './cloud-context.ts'
export type { CloudEvents } from './cloud-events.ts'
export type { CloudOptions } from './cloud-options.ts'
export { maxMetadataBytes, mergeMetadata } from './devices/merge-metadata.ts'
export { createLocalSessions } from './sessions/local-sessions.ts'
export { expiredSearchError } from './searches/expiry.ts'
export { canceledUploadError, expiredUploadError } from './uploads/expiry.ts'
export type {
  BlobContent,
  BlobLinks,
  BlobStore,
  CloudStore,
  CreateOutcome,
  DeviceByKey,
  DeviceStore,
  LeaseOutcome,
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
  UploadOutcome,
  UploadStore,
} from './ports/index.ts'
export type { Tracer, TracerSpan } from './ports/tracer.ts'
