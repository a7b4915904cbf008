export * from './api-token.ts'
export * from './audit.ts'
export { CatalogFile, catalogLimits } from './catalog-file.ts'
export { CatalogHead, DeviceCatalog } from './catalog.ts'
export * from './cloud-event.ts'
export * from './dashboard-operations.ts'
export * from './dashboard-search.ts'
export * from './dashboard-upload.ts'
export * from './device-filter.ts'
export * from './device-folders.ts'
export * from './device-label.ts'
export * from './device-metadata.ts'
export * from './device-operations.ts'
export * from './enrollment.ts'
export * from './enrollment-operations.ts'
export * from './enrollment-token.ts'
export * from './device-scope.ts'
export { fileKindOf } from './file-kind.ts'
export * from './list-query.ts'
export { createNameMatcher, type NameMatcher } from './name-matcher.ts'
export {
  Device,
  DeviceChanges,
  type DevicePlatform,
  DeviceRegistration,
  DeviceStatus,
  type DeviceType,
  PresenceGap,
} from './device.ts'
export * from './operations.ts'
export type { SearchScope } from './search-scope.ts'
export * from './quota.ts'
export * from './saved-search.ts'
export * from './search.ts'
export * from './search-group.ts'
export {
  defaultSearchLimit,
  type FileKind,
  SearchSelection,
  type SearchSort,
  SearchWhere,
} from './search-selection.ts'
export { foldName, readSearchWords, type SearchWords, type WordSubject } from './search-words.ts'
export {
  type CompareFiles,
  createFileOrder,
  createFileRank,
  createFileTest,
  type SelectableFile,
  type SelectionPlace,
} from './select-files.ts'
export * from './text.ts'
export { createTopFiles, type RankedFile, toFoundFile, type TopFiles } from './top-files.ts'
export * from './upload.ts'
export * from './webhook.ts'
export { targetOf, textAt, valueAt } from '../places.ts'
