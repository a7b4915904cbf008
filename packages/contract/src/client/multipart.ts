/** A file for a form: name, size in bytes, and content as a Blob or as a stream that is read once. */
export interface FormFile {
  readonly fileName: string
  readonly size: number
  readonly content: Blob | ReadableStream<Uint8Array>
}

/** A form ready to be sent. */
interface EncodedForm {
  readonly body: ReadableStream<Uint8Array>
  readonly contentType: string
  /** Bytes of the whole body. */
  readonly length: number
}

/** Names as the HTML standard writes them in a form: quotes and line breaks percent-encoded. */
function escapeName(name: string): string {
  return name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22')
}

/**
 * Writes a form with a streamed file (RFC 7578) chunk by chunk, in constant memory and with its length known
 * beforehand. `FormData` cannot do that: it only takes a Blob.
 *
 * The body errors when the file gives more or fewer bytes than its `size`.
 */
export function encodeMultipart(
  fields: Readonly<Record<string, string>>,
  fileField: string,
  file: { readonly fileName: string; readonly size: number; readonly content: ReadableStream<Uint8Array> },
  boundary: string,
): EncodedForm {
  const encoder = new TextEncoder()
  const part = (name: string) => `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"`
  // As browsers do: line breaks in a value are always CRLF.
  const crlf = (value: string) => value.replaceAll(/\r\n|\r|\n/g, '\r\n')
  const text = Object.entries(fields).map(([name, value]) => `${part(name)}\r\n\r\n${crlf(value)}\r\n`)
  const fileHead = `; filename="${escapeName(file.fileName)}"\r\nContent-Type: application/octet-stream\r\n\r\n`
  const head = encoder.encode(`${text.join('')}${part(fileField)}${fileHead}`)
  const tail = encoder.encode(`\r\n--${boundary}--\r\n`)
  return {
    body: enclose(head, file.content, file.size, tail),
    contentType: `multipart/form-data; boundary=${boundary}`,
    length: head.length + file.size + tail.length,
  }
}

function enclose(
  head: Uint8Array,
  content: ReadableStream<Uint8Array>,
  size: number,
  tail: Uint8Array,
): ReadableStream<Uint8Array> {
  const reader = content.getReader()
  let left = size
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(head),
      async pull(controller) {
        const { done, value } = await reader.read()
        left -= value?.length ?? 0
        if (done ? left > 0 : left < 0) {
          await reader.cancel().catch(() => {})
          throw new Error('The size of the file changed while it was sent')
        }
        controller.enqueue(done ? tail : value)
        if (done) controller.close()
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
