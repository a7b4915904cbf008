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
