import { RemoteFailure } from './remote-failure.ts'

/** A `fetch` as this package uses it. */
export type Fetch = (input: string, init: RequestInit) => Promise<Response>

/** How {@link guardFetch} watches over requests. */
export interface FetchGuard {
  readonly fetch: Fetch
  /** Milliseconds without an answer, or without any more of one, until a request is given up. */
  readonly timeoutMs: number
  /** Largest answer in bytes. */
  readonly maxReplyBytes: number
  readonly signal: AbortSignal
}

/**
 * A `fetch` that follows no redirect (a signed request or a file must not go to another host), that gives up on an answer
 * that does not go on, and that takes no more of it than expected. Rejects with the reason of `signal`, or with a
 * {@link RemoteFailure}.
 */
export function guardFetch(guard: FetchGuard): Fetch {
  return async (url, init) => {
    guard.signal.throwIfAborted()
    const watch = startWatch(guard)
    try {
      const response = await guard.fetch(url, { ...init, signal: watch.signal, redirect: 'manual' })
      if (isRedirect(response)) {
        void response.body?.cancel().catch(() => {})
        throw new RemoteFailure('the service redirected to another address, which is not followed', {
          status: response.status,
          transient: false,
        })
      }
      if (response.body === null) {
        watch.end()
        return response
      }
      const body = watchBody(response.body, watch, guard.maxReplyBytes)
      return new Response(body, { status: response.status, headers: response.headers })
    } catch (error) {
      watch.end()
      throw watch.toError(error)
    }
  }
}

/** 308 without a place to go is how resumable uploads say that they want more. */
function isRedirect({ status, type, headers }: Response): boolean {
  if (type === 'opaqueredirect') return true
  return status >= 300 && status < 400 && status !== 304 && (status !== 308 || headers.has('location'))
}

interface Watch {
  readonly signal: AbortSignal
  restart(): void
  end(): void
  toError(error: unknown): unknown
}

function startWatch({ timeoutMs, signal }: FetchGuard): Watch {
  const controller = new AbortController()
  const timeout = new RemoteFailure(`nothing came from the service for ${timeoutMs} ms`)
  const abort = () => controller.abort(signal.reason)
  let timer: ReturnType<typeof setTimeout> | undefined
  const restart = () => {
    clearTimeout(timer)
    timer = setTimeout(() => controller.abort(timeout), timeoutMs)
  }
  signal.addEventListener('abort', abort)
  restart()
  return {
    signal: controller.signal,
    restart,
    end() {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    },
    toError(error) {
      if (signal.aborted) return signal.reason as unknown
      if (controller.signal.aborted) return controller.signal.reason as unknown
      if (error instanceof RemoteFailure) return error
      return new RemoteFailure('the service cannot be reached, or the connection broke')
    },
  }
}

function watchBody(
  body: ReadableStream<Uint8Array>,
  watch: Watch,
  maxBytes: number,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let size = 0
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        watch.restart()
        try {
          const part = await reader.read()
          if (part.done) {
            watch.end()
            return controller.close()
          }
          size += part.value.length
          if (size > maxBytes)
            throw new RemoteFailure('the answer of the service is too large', { transient: false })
          controller.enqueue(part.value)
        } catch (error) {
          watch.end()
          void reader.cancel().catch(() => {})
          throw watch.toError(error)
        }
        // Who reads slowly is not who answers slowly.
        watch.end()
      },
      async cancel(reason) {
        watch.end()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
