export * from './registry-entry.ts'
