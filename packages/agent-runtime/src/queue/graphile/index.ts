export { RuntimeError } from '../../runtime-error.ts'
export type { RuntimeErrorCode } from '../../runtime-error.ts'
export type { GraphileQueueOptions } from './create-graphile-queue.ts'
export { createGraphileQueue } from './create-graphile-queue.ts'
