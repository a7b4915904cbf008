import * as z from 'zod/mini'
import { JournalEvent } from './journal-event.ts'
import { orAbsent, PlatformId } from './values.ts'

/**
 * What a client of the WebSocket `/api/events` may send. `subscribe` replaces what the client got so far; a
 * client that sends nothing gets every event from its connection on.
 */
export const EventSocketRequest = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('subscribe'),
    /** Given back in the `subscribed` frame, which is sent only to a request that has one. */
    id: orAbsent(PlatformId),
    /** Only events of one of these kinds. Absent: of all kinds. */
    types: orAbsent(
      z.array(z.string().check(z.minLength(1), z.maxLength(100))).check(z.minLength(1), z.maxLength(50)),
    ),
    /** Only events of this run. */
    run_id: orAbsent(PlatformId),
    /** First every event with a greater number, then what happens. Absent: only what happens from now on. */
    since: orAbsent(z.int().check(z.gte(0))),
  }),
  z.object({
    /** Asks for a `pong` frame: programs in a browser cannot send a ping of the protocol. */
    type: z.literal('ping'),
    id: orAbsent(PlatformId),
  }),
])
export type EventSocketRequest = z.infer<typeof EventSocketRequest>

/** What the WebSocket `/api/events` sends: events as `GET /api/logs` has them, and answers to requests. */
export const EventSocketFrame = z.union([
  JournalEvent,
  z.object({ type: z.literal('subscribed'), id: z.string(), since: z.int() }),
  z.object({ type: z.literal('pong'), id: z.optional(z.string()) }),
  /** A request that cannot be served; what the client got so far goes on. */
  z.object({ type: z.literal('error'), error: z.string(), code: z.string(), message: z.string() }),
])
export type EventSocketFrame = z.infer<typeof EventSocketFrame>
