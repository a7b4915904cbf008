export { CloudStoreError } from '../ports/cloud-store-error.ts'
export type { CloudStoreErrorCode } from '../ports/cloud-store-error.ts'
export { createMemoryStore } from './create-memory-store.ts'
