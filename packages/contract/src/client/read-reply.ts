import { ClientError } from './client-error.ts'
import type { Deadline } from '@homeward/kit'

/** Reads a body as text while counting; stops at the limit instead of buffering whatever comes. */
export async function readReply(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  deadline: Deadline,
  attempt: string,
): Promise<string> {
  if (!body) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  try {
    for (;;) {
      const { done, value } = await deadline.race(reader.read())
      if (done) return text + decoder.decode()
      size += value.length
      if (size > maxBytes) {
        throw new ClientError('REPLY_TOO_LARGE', `${attempt}: the answer is larger than ${maxBytes} bytes.`)
      }
      text += decoder.decode(value, { stream: true })
    }
  } catch (error) {
    void reader.cancel().catch(() => {})
    throw error
  }
}

/** Passes a file on as it arrives. The time limit starts again with every chunk; `end` is called once at the end. */
export function passBytes(
  body: ReadableStream<Uint8Array> | null,
  deadline: Deadline,
  toError: (error: unknown) => unknown,
): ReadableStream<Uint8Array> {
  const reader = body?.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        deadline.restart()
        try {
          const part = reader && (await deadline.race(reader.read()))
          if (part?.value) return controller.enqueue(part.value)
          controller.close()
        } catch (error) {
          controller.error(toError(error))
          void reader?.cancel().catch(() => {})
        }
        deadline.end()
      },
      async cancel(reason) {
        deadline.end()
        await reader?.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
