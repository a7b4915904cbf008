import * as z from 'zod/mini'
import { Json } from '../json-value.ts'
import type { Operation } from '../operation.ts'
import { orAbsent, PlatformId, shortText } from './values.ts'

/** A signal: an event that runs can wait for. */
export const SignalRequest = z.object({
  /** Name of the event, as in `wait.event` of a node. */
  event: shortText(200),
  /** Payload of the signal. Default `null`. */
  data: orAbsent(Json),
  /** Id of the signal. A repeated id within 24 hours is a duplicate. Default: the server creates one. */
  id: orAbsent(PlatformId),
  /** Seconds during which later waits also receive the signal, once per run. Default 0. */
  keep_seconds: orAbsent(z.int().check(z.gte(0), z.lte(604_800))),
})
export type SignalRequest = z.infer<typeof SignalRequest>

/** Result of a signal request. */
export const SentSignal = z.object({ id: PlatformId, event: z.string(), created_at: z.string() })
export type SentSignal = z.infer<typeof SentSignal>

/** Operations for programs that send events to runs. */
export const signalOperations = {
  sendSignal: {
    method: 'POST',
    path: '/api/signals',
    auth: 'local',
    scope: 'run',
    subject: 'all',
    summary:
      'Sends a signal to all runs that wait for its event and accept its data. The same `id` again within 24 hours delivers nothing new; with other content it is 409.',
    source: 'additions 2, 1.5',
    body: SignalRequest,
    status: 202,
    reply: z.object({
      ok: z.literal(true),
      signal: SentSignal,
      /** Number of waits that received the signal. */
      delivered: z.int(),
    }),
    errors: [409],
  },
} as const satisfies Record<string, Operation>
