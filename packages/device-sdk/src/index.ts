export { createDeviceAgent, type DeviceAgent, type RunOnceResult } from './agent/create-device-agent.ts'
export type { AgentSettings, DeviceAgentOptions } from './agent/agent-options.ts'
export type { AgentEvents, AgentListener, WorkKind } from './agent/agent-events.ts'
export { type BackoffInput, backoffMs, jitterMs } from '@homeward/kit'
export { createMemoryAuditLog, type MemoryAuditLog } from './audit-log/create-memory-audit-log.ts'
export {
  createUserClient,
  type UserClient,
  type UserClientOptions,
  type UserOperations,
} from './client/create-user-client.ts'
export type { ChunkedUploads, UploadChunk } from './client/chunked-uploads.ts'
export {
  type CatalogReply,
  createDeviceClient,
  type DeviceClient,
  type DeviceClientOptions,
  type HeartbeatReply,
  type PendingList,
  type PendingOptions,
  type UploadDelivery,
  type UploadFile,
  type ListedRequests,
  type ListNotes,
  type WorkList,
  type WorkOptions,
} from './client/create-device-client.ts'
export type { InvalidRequest } from './client/pending-rows.ts'
export type { ApiKey } from './client/key-source.ts'
export { DeviceCloudError, type DeviceCloudErrorCode } from './device-cloud-error.ts'
export { createDeviceKey } from './enrollment/device-key.ts'
export { enrollDevice } from './enrollment/enroll-device.ts'
export type { EnrollDeviceOptions, EnrolledDevice, EnrollmentCode } from './enrollment/enroll-options.ts'
export { createMemoryOutbox, type MemoryOutboxOptions } from './outbox/create-memory-outbox.ts'
export type { ConsentRequest, DevicePolicy } from './policy/device-policy.ts'
export type {
  AuditEntry,
  AuditLog,
  CatalogSource,
  CatalogTask,
  FileSource,
  OpenedFile,
  Outbox,
  OutboxEntry,
  SearchProviderResult,
  SearchProvider,
  SearchProviders,
  SearchTask,
  Timers,
} from './ports/index.ts'
export { Secret } from './secret.ts'
