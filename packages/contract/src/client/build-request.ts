import type { Operation } from '../operation.ts'
import type { UnsharedBytes } from './unshared-bytes.ts'
import { encodeMultipart, type FormFile } from './multipart.ts'

/** Inputs of a call as the code sees them; the types of the public functions say which ones an operation has. */
export interface LooseInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
  readonly form?: Readonly<Record<string, string | undefined>>
  readonly file?: FormFile
  readonly bytes?: UnsharedBytes
  readonly onProgress?: ((sentBytes: number, totalBytes: number) => void) | undefined
}

/** URL of an operation under a base address. */
export function toUrl(baseUrl: string, operation: Operation, input: LooseInput): URL {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = input.params?.[name] ?? ''
    // `.` and `..` would climb: URL parsing resolves them even when they were percent-encoded.
    if (/^\.{0,2}$/.test(value)) throw new Error(`the path parameter "${name}" is empty or made of dots`)
    return encodeURIComponent(value)
  })
  const url = new URL(baseUrl.replace(/\/+$/, '') + path)
  if (!/^https?:$/.test(url.protocol)) throw new Error('the base URL must start with http:// or https://')
  if (url.username || url.password) throw new Error('the base URL must not hold a user name or password')
  // The path would end up in either of them, and the call, with its credential, at another place.
  if (/[?#]/.test(baseUrl)) throw new Error('the base URL must not hold a query or a fragment')
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, value)
  }
  return url
}

/** Body of a request, with the headers that belong to it. */
export function toBody(
  operation: Operation,
  input: LooseInput,
  onChunk: () => void,
): { body?: BodyInit; headers: Record<string, string> } {
  if (operation.body) {
    return { body: JSON.stringify(input.body), headers: { 'content-type': 'application/json' } }
  }
  if (operation.bytes) {
    const { bytes = new Uint8Array() } = input
    return { body: bytes, headers: { 'content-type': 'application/octet-stream' } }
  }
  if (!operation.form) return { headers: {} }
  const fields: Record<string, string> = {}
  for (const [name, value] of Object.entries(input.form ?? {})) {
    if (value !== undefined) fields[name] = value
  }
  const { file } = input
  if (file && !(file.content instanceof Blob)) {
    const content = count(file.content, file.size, input.onProgress, onChunk)
    const form = encodeMultipart(fields, operation.form.file, { ...file, content }, crypto.randomUUID())
    return {
      body: form.body,
      // Browsers set the length themselves; Node would fall back to chunks without it.
      headers: { 'content-type': form.contentType, 'content-length': String(form.length) },
    }
  }
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  if (file) form.append(operation.form.file, file.content as Blob, file.fileName) // streams returned above
  return { body: form, headers: {} }
}

function count(
  content: ReadableStream<Uint8Array>,
  totalBytes: number,
  onProgress: LooseInput['onProgress'],
  onChunk: () => void,
): ReadableStream<Uint8Array> {
  let sentBytes = 0
  return content.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>(
      {
        transform(chunk, controller) {
          sentBytes += chunk.length
          onChunk()
          onProgress?.(sentBytes, totalBytes)
          controller.enqueue(chunk)
        },
      },
      // A writable side of 0 would never be ready for the first chunk.
      { highWaterMark: 1 },
      { highWaterMark: 0 },
    ),
  )
}
