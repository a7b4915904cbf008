export * from './error-replies.ts'
export * from './operation.ts'
export { targetOf, textAt, valueAt } from './places.ts'
