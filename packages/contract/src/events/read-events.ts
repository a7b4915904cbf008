import { readChunks } from '@homeward/kit'
import { createParser, type ParseError } from 'eventsource-parser'
import * as z from 'zod/mini'
import type { Schema } from '../operation.ts'

/** Schemas of an interface's events by their name. */
type EventSchemas = Readonly<Record<string, Schema>>

/** One server-sent event, validated by its schema. */
export type ServerEvent<Events extends EventSchemas> = {
  readonly [Name in keyof Events & string]: {
    /** Value for `Last-Event-ID`, to resume after this event. */
    readonly id: string | undefined
    readonly event: Name
    readonly data: z.core.output<Events[Name]>
  }
}[keyof Events & string]

/** Options of {@link readEvents}. */
export interface ReadEventsOptions {
  /** Maximum length of an event in characters. @default 8388608 */
  readonly maxEventLength?: number
}

/**
 * Reads the event stream of an operation.
 *
 * Unknown events are skipped, because a newer server may send more. Leaving the loop closes the connection.
 *
 * @throws {Error} if an event does not match its schema or is too large.
 * @example
 * ```ts
 * import { agentPlatformOperations, runEvents } from '@homeward/contract/agent-platform'
 * import { createClient } from '@homeward/contract/client'
 * import { readEvents } from '@homeward/contract/events'
 *
 * const client = createClient(agentPlatformOperations, { baseUrl: 'http://127.0.0.1:3010' })
 * const stream = await client.streamAgentRun({ body: { agent_id: 'writer', task: 'Say hello' } })
 * for await (const { event, data } of readEvents(stream, runEvents)) {
 *   if (event === 'assistant') console.log(data.delta)
 * }
 * ```
 */
export async function* readEvents<Events extends EventSchemas>(
  stream: ReadableStream<Uint8Array>,
  events: Events,
  { maxEventLength = 8_388_608 }: ReadEventsOptions = {},
): AsyncGenerator<ServerEvent<Events>, void> {
  let arrived: ServerEvent<Events>[] = []
  let problem: Error | undefined
  const parser = createParser({
    maxBufferSize: maxEventLength,
    onEvent({ id, event = 'message', data }) {
      if (!Object.hasOwn(events, event)) return
      try {
        const parsed = z.parse(events[event]!, JSON.parse(data))
        arrived.push({ id, event, data: parsed } as ServerEvent<Events>) // parsed by the schema of its name
      } catch (cause) {
        problem ??= new Error(
          `Reading the event "${event}" failed: its data does not match the documented schema.`,
          { cause },
        )
      }
    },
    onError(error: ParseError) {
      if (error.type === 'max-buffer-size-exceeded') {
        problem ??= new Error(
          `Reading events failed: an event must have at most ${maxEventLength} characters. Raise "maxEventLength".`,
        )
      }
    },
  })
  const decoder = new TextDecoder()
  for await (const chunk of readChunks(stream)) {
    parser.feed(decoder.decode(chunk, { stream: true }))
    const ready = arrived
    arrived = []
    yield* ready
    if (problem) throw problem
  }
}
