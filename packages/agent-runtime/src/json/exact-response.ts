import { quoteLongIntegers } from '@homeward/kit'

/**
 * An answer of JSON or events in which integers that a JavaScript number would round are text. For packages that parse answers
 * themselves: afterwards the digits are lost.
 */
export async function withExactIntegers(response: Response): Promise<Response> {
  const { body, status, statusText, headers } = response
  const type = headers.get('content-type') ?? ''
  if (body === null) return response
  const head = { status, statusText, headers }
  if (type.includes('json')) return new Response(quoteLongIntegers(await response.text()), head)
  if (!type.includes('text/event-stream')) return response
  const lines = createLineTransform((line) => (line.startsWith('data:') ? quoteLongIntegers(line) : line))
  return new Response(
    body.pipeThrough(new TextDecoderStream()).pipeThrough(lines).pipeThrough(new TextEncoderStream()),
    head,
  )
}

/** Changes whole lines of a text that arrives in pieces. */
function createLineTransform(change: (line: string) => string) {
  let pieces: string[] = []
  return new TransformStream<string, string>({
    transform(piece, controller) {
      const end = Math.max(piece.lastIndexOf('\n'), piece.lastIndexOf('\r')) + 1
      pieces.push(end === 0 ? piece : piece.slice(0, end))
      if (end === 0) return
      const whole = pieces.join('')
      pieces = [piece.slice(end)]
      controller.enqueue(whole.replaceAll(/[^\r\n]+/g, change))
    },
    flush(controller) {
      controller.enqueue(change(pieces.join('')))
    },
  })
}
