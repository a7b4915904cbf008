export * from './error-replies.ts'
export * from './operation.ts'
