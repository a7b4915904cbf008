import { within } from '@homeward/kit'

/** How {@link toEventStream} writes. */
export interface EventStreamOptions {
  /** Milliseconds of silence after which `: keepalive` is written. */
  readonly keepaliveMs: number
  /** Aborts when nobody listens any more. */
  readonly signal: AbortSignal
}

const encoder = new TextEncoder()
const keepalive = encoder.encode(': keepalive\n\n')

/**
 * Server-sent events as a body. Pulled by its reader: a slow one holds the source back instead of filling memory. Giving
 * the body up, or the caller's going away, ends the source's iteration and nothing else (A6).
 *
 * @param source gives texts of whole events; it gets a signal that aborts when nobody listens any more.
 */
export function toEventStream(
  source: (signal: AbortSignal) => AsyncIterable<string>,
  { keepaliveMs, signal }: EventStreamOptions,
): ReadableStream<Uint8Array> {
  const leaving = new AbortController()
  const leave = () => leaving.abort(signal.reason)
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave, { once: true })
  const texts = source(leaving.signal)[Symbol.asyncIterator]()
  let next: Promise<IteratorResult<string>> | undefined
  let isFirst = true

  const end = () => {
    signal.removeEventListener('abort', leave)
    leaving.abort(new Error('Nobody listens any more'))
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (isFirst) {
          // the head of the answer goes out with the first bytes, and a caller waits for it
          isFirst = false
          controller.enqueue(encoder.encode(': open\n\n'))
          return
        }
        try {
          next ??= texts.next()
          const arrived = await within(next, keepaliveMs)
          if (arrived === undefined) return controller.enqueue(keepalive)
          next = undefined
          if (!arrived.done) return controller.enqueue(encoder.encode(arrived.value))
          controller.close()
        } catch {
          // the source tells its failures in an event; what is left is that nobody listens any more
          controller.close()
        }
        end()
      },
      async cancel() {
        end()
        await texts.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}
