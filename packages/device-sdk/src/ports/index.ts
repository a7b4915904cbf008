export type { AuditEntry, AuditLog } from './audit-log.ts'
export type { FileSource, OpenedFile } from './file-source.ts'
export type { Outbox, OutboxEntry } from './outbox.ts'
export type { SearchAnswer, SearchProvider, SearchProviders, SearchTask } from './search-provider.ts'
