import * as z from 'zod/mini'
import { JournalEvent } from './journal-event.ts'
import { orAbsent, PlatformId } from './values.ts'

/**
 * Message of a client to the WebSocket `/api/events`. `subscribe` replaces the previous subscription. Without a
 * message, a client receives every event from its connection on.
 */
export const EventSocketRequest = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('subscribe'),
    /** Copied to the `subscribed` frame, which is sent only if the request has an id. */
    id: orAbsent(PlatformId),
    /** Event types to receive. Absent for all types. */
    types: orAbsent(
      z.array(z.string().check(z.minLength(1), z.maxLength(100))).check(z.minLength(1), z.maxLength(50)),
    ),
    /** Limits events to this run. */
    run_id: orAbsent(PlatformId),
    /** Sends every event with a greater number first, then new events. Absent: only new events. */
    since: orAbsent(z.int().check(z.gte(0))),
  }),
  z.object({
    /** Requests a `pong` frame, because browsers cannot send a protocol ping. */
    type: z.literal('ping'),
    id: orAbsent(PlatformId),
  }),
])
export type EventSocketRequest = z.infer<typeof EventSocketRequest>

/** Message of the WebSocket `/api/events`: an event as in `GET /api/logs`, or a response to a request. */
export const EventSocketFrame = z.union([
  JournalEvent,
  z.object({ type: z.literal('subscribed'), id: z.string(), since: z.int() }),
  z.object({ type: z.literal('pong'), id: z.optional(z.string()) }),
  /** A request that cannot be served; what the client got so far goes on. */
  z.object({ type: z.literal('error'), error: z.string(), code: z.string(), message: z.string() }),
])
export type EventSocketFrame = z.infer<typeof EventSocketFrame>
