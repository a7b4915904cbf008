import type { PlainReply } from '@homeward/contract/handler'

/** Requests under way, so that closing can wait for them. */
export interface InFlight {
  /** Counts `work` until it ends. */
  track<T>(work: Promise<T>): Promise<T>
  /** The same for an answer whose body somebody else reads: where that is a stream, it counts until the stream ends. */
  trackReply(work: Promise<PlainReply>): Promise<PlainReply>
  /** Resolves once nothing is under way, or after `withinMs`. */
  ended(withinMs: number): Promise<void>
}

/** Creates a count of requests under way. */
export function createInFlight(): InFlight {
  let count = 0
  let onIdle: (() => void) | undefined

  function leave(): void {
    count -= 1
    if (count === 0) onIdle?.()
  }

  return {
    track(work) {
      count += 1
      work.then(leave, leave)
      return work
    },
    trackReply(work) {
      count += 1
      return work.then(
        (reply) => {
          if (reply.body instanceof ReadableStream) return { ...reply, body: watchStream(reply.body, leave) }
          leave()
          return reply
        },
        (error: unknown) => {
          leave()
          throw error
        },
      )
    },
    async ended(withinMs) {
      if (count === 0) return
      let timer: ReturnType<typeof setTimeout> | undefined
      await new Promise<void>((resolve) => {
        onIdle = resolve
        timer = setTimeout(resolve, withinMs)
      })
      clearTimeout(timer)
    },
  }
}

/**
 * The same bytes, read as fast as they are asked for and no faster. Calls `onEnd` once: when the source has come to its
 * end, failed or was canceled.
 */
export function watchStream(
  source: ReadableStream<Uint8Array>,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  const reader = source.getReader()
  reader.closed.then(onEnd, onEnd)
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
