import { watchAccess } from '@homeward/kit'
import type { PlainReply } from '@homeward/contract/handler'

/** The same reply, whose stream ends once its caller may not have it anymore. */
export function endWithAccess(reply: PlainReply, mayContinue: () => Promise<boolean>): PlainReply {
  if (!(reply.body instanceof ReadableStream)) return reply
  const reader = reply.body.getReader()
  let isOver = false
  let stop = () => {}
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        stop = watchAccess(mayContinue, () => {
          isOver = true
          controller.close()
          void reader.cancel().catch(() => {})
        })
      },
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (isOver) return
          if (!done) return controller.enqueue(value)
          stop()
          controller.close()
        } catch (error) {
          stop()
          if (!isOver) controller.error(error)
        }
      },
      cancel(reason) {
        isOver = true
        stop()
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
  return { ...reply, body }
}
