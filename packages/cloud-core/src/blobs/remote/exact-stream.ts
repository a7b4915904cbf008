import { RemoteFailure } from '../../remote/remote-failure.ts'
import { toStoreError } from './to-store-error.ts'

/** The bytes of an answer, which must be exactly `size`: a cut file is an error, never a short file. */
export function exactStream(
  body: ReadableStream<Uint8Array>,
  size: number,
  attempt: string,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let left = size
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          left -= value?.length ?? 0
          if (done ? left > 0 : left < 0)
            throw new RemoteFailure('the service sent another number of bytes than it announced')
          if (done) controller.close()
          else controller.enqueue(value)
        } catch (error) {
          void reader.cancel().catch(() => {})
          throw toStoreError(error, attempt)
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
