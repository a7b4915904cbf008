/** Two million characters, the longest answer of a model, are less than that however they are escaped. */
const maxBytes = 16 * 1024 * 1024

const lineFeed = 0x0a
const carriageReturn = 0x0d

/**
 * A provider's answer that breaks off when an event of it is longer than any that a model sends, or all of it when it is a
 * refusal. What reads an answer holds an event until its end has come, and a refusal until it is whole: a provider that
 * never ends either would fill the memory.
 */
export function boundAnswer(answer: Response): Response {
  const { body, status, statusText, headers, ok } = answer
  if (!body) return answer
  return new Response(body.pipeThrough(createBound(ok)), { status, statusText, headers })
}

/** @param hasEvents Whether an empty line begins to count anew: it ends an event. */
function createBound(hasEvents: boolean): TransformStream<Uint8Array, Uint8Array> {
  let heldBytes = 0
  let isLineEmpty = true

  function count(chunk: Uint8Array): void {
    heldBytes += chunk.length
    if (!hasEvents) return
    for (let at = 0; at < chunk.length; at += 1) {
      if (chunk[at] === carriageReturn) continue
      const endsLine = chunk[at] === lineFeed
      if (endsLine && isLineEmpty) heldBytes = chunk.length - at - 1
      isLineEmpty = endsLine
    }
  }

  return new TransformStream({
    transform(chunk, controller) {
      count(chunk)
      if (heldBytes <= maxBytes) controller.enqueue(chunk)
      else
        controller.error(new Error(`the provider sent more than ${maxBytes} bytes without a complete event`))
    },
  })
}
