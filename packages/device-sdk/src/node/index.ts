export { createAppList, type AppListOptions } from './app-list/create-app-list.ts'
export type { RunCommand } from './app-list/run-command.ts'
export {
  createFileAuditLog,
  type FileAuditLog,
  type FileAuditLogOptions,
} from './audit-log/create-file-audit-log.ts'
export { readFileAuditLog, type AuditHistory } from './audit-log/read-file-audit-log.ts'
export { createConsentFolder, type ConsentFolderOptions } from './consent/create-consent-folder.ts'
export {
  type ConsentDecisions,
  type ConsentDecisionsOptions,
  createConsentDecisions,
} from './consent/consent-decisions.ts'
export type { WaitingRequest } from './consent/consent-files.ts'
export {
  createDocumentReader,
  type DocumentFormat,
  type DocumentPart,
  type DocumentReader,
  type DocumentReaderOptions,
  type DocumentText,
  type UnreadDocument,
} from '@homeward/kit/documents'
export { createContentSearch, type ContentSearchOptions } from './content-search/create-content-search.ts'
export { createFileCatalog, type FileCatalogOptions } from './file-catalog/create-file-catalog.ts'
export {
  createFileIndex,
  type FileIndex,
  type FileIndexOptions,
  type FileIndexStatus,
} from './file-index/create-file-index.ts'
export { createFileSearch, type FileSearchOptions } from './file-search/create-file-search.ts'
export { limitCpu } from './disk/lanes.ts'
export { createFileSource, type FileSourceOptions } from './file-source/create-file-source.ts'
export { paceFileSource, type PacedFileSourceOptions } from './file-source/pace-file-source.ts'
export { createKeyFile, type KeyFileOptions } from './key-file/create-key-file.ts'
export {
  createFileOutbox,
  type DamagedFile,
  type FileOutbox,
  type FileOutboxOptions,
} from './outbox/create-file-outbox.ts'
export {
  createSystemFacts,
  type SystemFactsOptions,
  type SystemInformation,
} from './system/create-system-facts.ts'
export { toAnnouncedFolders } from './roots/to-announced-folders.ts'
export { readDeviceMetadata } from './system/device-metadata.ts'
