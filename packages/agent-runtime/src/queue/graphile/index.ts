export { RuntimeError } from '../../ports/runtime-error.ts'
export type { RuntimeErrorCode } from '../../ports/runtime-error.ts'
export type { GraphileQueueOptions } from './create-graphile-queue.ts'
export { createGraphileQueue } from './create-graphile-queue.ts'
