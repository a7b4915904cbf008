export type { AuditFilter, AuditStore, NewAuditEntry } from './audit-store.ts'
export type { BlobContent, BlobLinks, BlobRange, BlobStore, NewBlob, StoredBlob } from './blob-store.ts'
export type { CatalogStore, NewCatalog, ReplaceCatalogOutcome, StoredCatalog } from './catalog-store.ts'
export type { CloudSignal } from './cloud-signal.ts'
export type { CloudStore, PendingCounts } from './cloud-store.ts'
export type {
  DeviceByKey,
  DeviceReconnect,
  DeviceStore,
  DeviceUpdate,
  OnlineWindow,
  StoredDevice,
  StoredKey,
  HeartbeatWrite,
} from './device-store.ts'
export type {
  DecisionOutcome,
  EnrollmentApproval,
  EnrollmentStore,
  EnrollOutcome,
  NewEnrollment,
  StoredEnrollment,
  StoredEnrollmentToken,
  TokenRejection,
} from './enrollment-store.ts'
export type { CreateOutcome, IdempotencyRecord } from './idempotency-record.ts'
export type { Page, PagePosition, PageRequest } from './page.ts'
export type {
  NewSearch,
  SearchFilter,
  SearchOutcome,
  SearchStore,
  SettleOutcome,
  StoredSearch,
} from './search-store.ts'
export type { QuotaStore } from './quota-store.ts'
export type { RemovedRows, RetentionStore } from './retention-store.ts'
export type { WebhookStore } from './webhook-store.ts'
export type {
  ClaimedGroup,
  EndedBatch,
  EndOutcome,
  GroupExtension,
  GroupFilter,
  GroupKind,
  GroupLease,
  SettledGroups,
  RemainingDevices,
  GroupStore,
  NewGroup,
  StoredGroup,
} from './group-store.ts'
export type { DueRun, SavedSearchStore, StoredSavedSearch } from './saved-search-store.ts'
export type { Session, Sessions } from './sessions.ts'
export type { StoredToken, TokenLimits, TokenStore } from './token-store.ts'
export type {
  LeaseOutcome,
  NewUpload,
  StoredFile,
  StoredUpload,
  UploadConflict,
  UploadFilter,
  UploadLease,
  UploadOutcome,
  UploadStore,
} from './upload-store.ts'
