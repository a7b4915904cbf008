import type { Deadline } from './deadline.ts'
import { toHttpFailure } from './exchange.ts'
import { HttpFailure } from './http-failure.ts'

/** Limits for reading a body. */
export interface BodyBounds {
  /** The time limit, which ends with the body. @default no time limit */
  readonly deadline?: Deadline
  /** Maximum number of bytes after decompression. @default no limit */
  readonly maxBytes?: number
  /**
   * When the time limit restarts: `never`, with every `chunk`, or with every `read`. With `read`, the reader's own
   * time between two reads does not count.
   *
   * @default "never"
   */
  readonly restarts?: 'never' | 'chunk' | 'read'
  /** Creates the error for a failed read. @default the {@link HttpFailure}, or the reason of the deadline's signal */
  readonly toError?: (error: unknown) => unknown
}

/** Passes a body on as it is read, with limits. */
export function boundBody(body: ReadableStream<Uint8Array>, bounds: BodyBounds): ReadableStream<Uint8Array> {
  const reader = createReader(body, bounds)
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = await reader.next()
        if (chunk === undefined) controller.close()
        else controller.enqueue(chunk)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

/**
 * Reads a body as text, with limits.
 *
 * @throws {HttpFailure}, or the reason of the deadline's signal.
 */
export async function readText(body: ReadableStream<Uint8Array> | null, bounds: BodyBounds): Promise<string> {
  if (body === null) return ''
  const reader = createReader(body, bounds)
  const decoder = new TextDecoder()
  let text = ''
  for (;;) {
    const chunk = await reader.next()
    if (chunk === undefined) return text + decoder.decode()
    text += decoder.decode(chunk, { stream: true })
  }
}

/** Limits the size and time of a response body. Fails at once if `Content-Length` is above the limit. */
export function boundResponse(response: Response, bounds: BodyBounds): Response {
  const { body, status, statusText, headers, url } = response
  if (body === null) {
    bounds.deadline?.end()
    return response
  }
  const { maxBytes = Number.POSITIVE_INFINITY } = bounds
  if (Number(headers.get('content-length') ?? 0) > maxBytes) {
    void body.cancel().catch(() => {})
    throw tooLarge(maxBytes)
  }
  const bounded = new Response(boundBody(body, bounds), { status, statusText, headers })
  // a new answer has no address, and some readers judge by it
  return Object.defineProperty(bounded, 'url', { value: url })
}

interface BoundedReader {
  /** Undefined at the end. */
  next(): Promise<Uint8Array | undefined>
  cancel(reason: unknown): Promise<void>
}

function createReader(body: ReadableStream<Uint8Array>, bounds: BodyBounds): BoundedReader {
  const { deadline, maxBytes = Number.POSITIVE_INFINITY, restarts = 'never', toError = same } = bounds
  const reader = body.getReader()
  let size = 0
  return {
    async next() {
      if (restarts !== 'never') deadline?.restart()
      try {
        const reading = reader.read()
        const { done, value } = await (deadline === undefined ? reading : deadline.race(reading))
        if (done) {
          deadline?.end()
          return undefined
        }
        size += value.length
        if (size > maxBytes) throw tooLarge(maxBytes)
        if (restarts === 'read') deadline?.pause()
        return value
      } catch (error) {
        void reader.cancel().catch(() => {})
        const failure = toHttpFailure(error, deadline?.signal)
        deadline?.end()
        throw toError(failure)
      }
    },
    async cancel(reason) {
      const canceling = reader.cancel(reason)
      deadline?.end()
      await canceling
    },
  }
}

const same = (error: unknown) => error

function tooLarge(maxBytes: number): HttpFailure {
  return new HttpFailure('TOO_LARGE', `The response is larger than ${maxBytes} bytes`)
}
