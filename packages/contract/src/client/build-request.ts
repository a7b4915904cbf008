import type { Operation } from '../operation.ts'
import type { UnsharedBytes } from './unshared-bytes.ts'
import { encodeMultipart, type FormFile } from './multipart.ts'

/** Inputs of a call as the code sees them; the types of the public functions say which ones an operation has. */
export interface LooseInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body?: unknown
  readonly form?: Readonly<Record<string, string | undefined>>
  readonly file?: FormFile
  readonly bytes?: UnsharedBytes | Blob
  readonly onProgress?: ((sentBytes: number, totalBytes: number) => void) | undefined
}

/**
 * The address that paths are put behind. Undefined when there can be none: behind a query or a fragment a path would be a
 * part of it, and the call, with its credential, would end at another place.
 */
export function toBase(baseUrl: string): string | undefined {
  const href = URL.canParse(baseUrl) ? new URL(baseUrl).href : ''
  return /^https?:\/\/[^@/?#]+\/[^?#]*$/.test(href) ? href.replace(/\/+$/, '') : undefined
}

/** What to say of an address that cannot be used. It is left out itself: it may have a password. */
export const refusedBase =
  'Creating the client failed: "baseUrl" must be an address such as https://cloud.example, without password, query and fragment.'

/** URL of an operation under a base address. */
export function toUrl(base: string, operation: Operation, input: LooseInput): URL {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = input.params?.[name] ?? ''
    // `.` and `..` would climb: URL parsing resolves them even when they were percent-encoded.
    if (/^\.{0,2}$/.test(value))
      throw new Error(`the path parameter "${name}" must not be empty, "." or ".."`)
    return encodeURIComponent(value)
  })
  const url = new URL(base + path)
  for (const [name, value] of Object.entries(input.query ?? {})) {
    for (const each of value === undefined ? [] : [value].flat()) url.searchParams.append(name, each)
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
    return {
      body: JSON.stringify(input.body),
      headers: { 'content-type': 'application/json' },
    }
  }
  if (operation.bytes) {
    const { bytes = new Uint8Array() } = input
    if (operation.bytes === true)
      return { body: bytes, headers: { 'content-type': 'application/octet-stream' } }
    const { type, encoding } = operation.bytes
    return { body: bytes, headers: { 'content-type': type, 'content-encoding': encoding } }
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
