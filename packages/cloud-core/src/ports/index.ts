export type { AuditFilter, AuditStore, NewAuditEntry } from './audit-store.ts'
export type { BlobContent, BlobLinks, BlobRange, BlobStore, NewBlob, StoredBlob } from './blob-store.ts'
export type { CloudSignal } from './cloud-signal.ts'
export type { CloudStore, PendingCounts } from './cloud-store.ts'
export type { DeviceByKey, DeviceStore, StoredDevice, StoredKey, Touch } from './device-store.ts'
export type { CreateOutcome, Once } from './once.ts'
export type { Page, PagePosition, PageRequest } from './page.ts'
export type {
  NewSearch,
  SearchFilter,
  SearchOutcome,
  SearchStore,
  SettleOutcome,
  StoredSearch,
} from './search-store.ts'
export type { Session, Sessions } from './sessions.ts'
export type {
  LeaseOutcome,
  NewUpload,
  StoredFile,
  StoredUpload,
  UploadAlready,
  UploadFilter,
  UploadLease,
  UploadOutcome,
  UploadStore,
} from './upload-store.ts'
