export type { AuditEntry, AuditLog } from './audit-log.ts'
export type { FileSource, OpenedFile } from './file-source.ts'
export type { Outbox, OutboxEntry } from './outbox.ts'
export type {
  SearchProviderResult,
  SearchProvider,
  SearchProviders,
  SearchTask,
  UnreadPart,
} from './search-provider.ts'
export type { Timers } from '@homeward/kit'
