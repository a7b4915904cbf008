import * as z from 'zod/mini'
import type { Operation, OperationHeader } from '../operation.ts'
import { RunSourceInput } from './run-source.ts'

/** Header of what starts something: the same key gives the same again. */
export const idempotencyHeader: OperationHeader = {
  name: 'Idempotency-Key',
  description: 'The same as `idempotency_key` in the body. If both are present, the body counts.',
}

/** Header of what starts a run. */
export const sourceHeader: OperationHeader = {
  name: 'X-Homeward-Source',
  description: `How the run is started: ${RunSourceInput.options.map((each) => `\`${each}\``).join(', ')}. Default \`api\`.`,
}

/** What a request with files may be: larger than others, and a form. */
export const bodyWithFiles = {
  maxBodyBytes: 32 * 1024 * 1024,
  bodyForm: { body: 'request', file: 'file', list: 'files' },
} as const satisfies Pick<Operation, 'maxBodyBytes' | 'bodyForm'>

/** Header of what streams events. */
export const resumeHeader: OperationHeader = {
  name: 'Last-Event-ID',
  description: '`<run_id>:<seq>` of the last event that you received. The stream continues after it.',
}

/** What a stream holds, and how it is written. */
export const streamFormat = z.object({
  /** The platform's own events, or the AI SDK's UI message stream. Default `events`. */
  format: z.optional(z.enum(['events', 'ui'])),
  /** Whether `reasoning` events come too. Default `false`. */
  reasoning: z.optional(z.enum(['true', 'false'])),
})

/** Where a request for work has the fields that a caller for one user may set only if its token allows them. */
export const workAllowances = { metadata: ['body.metadata'], budget: ['body.budget'] } as const
