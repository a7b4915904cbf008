import { withTimeout } from '../waiting/within.ts'

/** Options of {@link toEventStream}. */
export interface EventStreamOptions {
  /** Silence after which `: keepalive` is written, in milliseconds. */
  readonly keepaliveMs: number
  /** Ends the stream, even if its reader has stopped reading. */
  readonly signal: AbortSignal
}

const encoder = new TextEncoder()
const keepalive = encoder.encode(': keepalive\n\n')

/**
 * Converts a source of server-sent events to a response body.
 *
 * The reader pulls the events, so a slow reader slows the source down instead of filling memory. If the reader
 * cancels the body or the client disconnects, only the iteration of the source ends.
 *
 * @param source yields the text of complete events; its signal aborts when nobody listens any more.
 */
export function toEventStream(
  source: (signal: AbortSignal) => AsyncIterable<string>,
  { keepaliveMs, signal }: EventStreamOptions,
): ReadableStream<Uint8Array> {
  const leaving = new AbortController()
  const leave = () => leaving.abort(signal.reason)
  let endOf = () => {}
  const texts = source(leaving.signal)[Symbol.asyncIterator]()
  let next: Promise<IteratorResult<string>> | undefined
  let isFirst = true

  const end = () => {
    endOf()
    leaving.abort(new Error('The client disconnected'))
  }

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const close = () => {
          leave()
          controller.close()
        }
        if (signal.aborted) close()
        else signal.addEventListener('abort', close, { once: true })
        endOf = () => signal.removeEventListener('abort', close)
      },
      async pull(controller) {
        if (isFirst) {
          // the head of the answer goes out with the first bytes, and a caller waits for it
          isFirst = false
          controller.enqueue(encoder.encode(': open\n\n'))
          return
        }
        try {
          next ??= texts.next()
          const arrived = await withTimeout(next, keepaliveMs)
          if (signal.aborted) return
          if (arrived === undefined) return controller.enqueue(keepalive)
          next = undefined
          if (!arrived.done) return controller.enqueue(encoder.encode(arrived.value))
          if (!signal.aborted) controller.close()
        } catch {
          // the source tells its failures in an event; what is left is that nobody listens any more
          if (!signal.aborted) controller.close()
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
