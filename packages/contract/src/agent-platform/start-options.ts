import * as z from 'zod/mini'
import type { OperationHeader } from '../operation.ts'

/** Header of what starts something: the same key gives the same again. */
export const idempotencyHeader: OperationHeader = {
  name: 'Idempotency-Key',
  description: 'The same as `idempotency_key` in the body, which wins.',
}

/** Header of what streams events. */
export const resumeHeader: OperationHeader = {
  name: 'Last-Event-ID',
  description: '`<run_id>:<seq>` of the last event seen; the answer goes on behind it (A6).',
}

/** What a stream holds, and how it is written. */
export const streamFormat = z.object({
  /** The platform's own events, or the AI SDK's UI message stream (A6). Default `events`. */
  format: z.optional(z.enum(['events', 'ui'])),
  /** Whether `reasoning` events come too. Default `false`. */
  reasoning: z.optional(z.enum(['true', 'false'])),
})
