import type { BodyForm, Operation } from '../operation.ts'
import { validationError } from './http-error.ts'
import type { RequestView } from './request-view.ts'

/** Above what any form needs. Each part costs far more time and memory than its bytes, while nothing else is done. */
const maxParts = 100
/** Of one part: a name and a type. */
const maxHeaderBytes = 16 * 1024

/** Whether the content type of the body is a form. */
export function isForm(request: RequestView): boolean {
  const type = request.header('content-type')
  return type?.split(';', 1)[0]?.trim().toLowerCase() === 'multipart/form-data'
}

/** Whether the body is a form that the handler reads itself. */
export const isFileForm = ({ fileForm }: Pick<Operation, 'fileForm'>, request: RequestView): boolean =>
  fileForm !== undefined && isForm(request)

/**
 * The JSON body that a form stands for: one part holds the JSON, and each file of the form is added to a list in it.
 *
 * @throws {HttpError} 400 if the form is broken, has too many parts, or the JSON is missing.
 */
export async function readBodyForm(
  bytes: Uint8Array,
  request: RequestView,
  { body, file, list }: BodyForm,
  parseJson: (text: string, name: string) => unknown,
): Promise<unknown> {
  const form = await parseForm(bytes, boundaryOf(request))
  const parts = form.getAll(body)
  const [part] = parts
  if (part === undefined || parts.length > 1)
    throw validationError(`${body}: the form needs this part once, with JSON`)
  const given = parseJson(typeof part === 'string' ? part : await part.text(), body)
  const files: unknown[] = []
  for (const each of form.getAll(file)) {
    if (typeof each === 'string') throw validationError(`${file}: is not a file. Send it with a file name.`)
    const data = new Uint8Array(await each.arrayBuffer())
    files.push({ name: each.name, media_type: each.type || 'application/octet-stream', data })
  }
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given)
  if (!isObject || files.length === 0) return given // its schema says what is wrong
  const before: unknown = Reflect.get(given, list)
  return { ...given, [list]: Array.isArray(before) ? before.concat(files) : files }
}

/** @throws {HttpError} 400 if the content type names none. */
function boundaryOf(request: RequestView): string {
  const named = /;\s*boundary=(?:"([^"\\]+)"|([^\s;"]+))/i.exec(request.header('content-type') ?? '')
  const boundary = named?.[1] ?? named?.[2]
  if (boundary !== undefined) return boundary
  throw validationError('body: not a complete multipart form: Content-Type has no boundary')
}

async function parseForm(bytes: Uint8Array, boundary: string): Promise<FormData> {
  assertBounded(bytes, boundary)
  // written anew: the parser has to look for the boundary that was counted
  const headers = { 'content-type': `multipart/form-data; boundary="${boundary}"` }
  try {
    // the bytes are nobody else's: a body of a request is not shared memory
    return await new Response(bytes as Uint8Array<ArrayBuffer>, { headers }).formData()
  } catch (cause) {
    throw Object.assign(validationError('body: not a complete multipart form'), { cause })
  }
}

/**
 * Rejects a form that would keep the parser busy for many seconds, in which nothing else is done.
 *
 * @throws {HttpError} 400
 */
function assertBounded(bytes: Uint8Array, boundary: string): void {
  const mark = new TextEncoder().encode(`\n--${boundary}`)
  const [first] = mark
  let parts = 0
  // the first boundary has no line before it
  for (let at = -1; at < bytes.length; at += 1) {
    if ((at >= 0 && bytes[at] !== first) || !isAt(bytes, mark, at)) continue
    const end = at + mark.length
    if (isAt(bytes, formEnd, end)) return
    parts += 1
    if (parts > maxParts) throw validationError(`body: has more than ${maxParts} parts`)
    if (!hasHeadersEnd(bytes, end)) throw validationError('body: a part has headers that are too long')
  }
}

const formEnd = new TextEncoder().encode('--')
const headersEnd = new TextEncoder().encode('\r\n\r\n')

function hasHeadersEnd(bytes: Uint8Array, from: number): boolean {
  const last = Math.min(from + maxHeaderBytes, bytes.length)
  for (let at = from; at < last; at += 1) if (isAt(bytes, headersEnd, at)) return true
  return last === bytes.length // cut: the parser says so
}

/** The start of the body counts as the start of a line. */
function isAt(bytes: Uint8Array, text: Uint8Array, at: number): boolean {
  for (let index = at < 0 ? 1 : 0; index < text.length; index += 1)
    if (bytes[at + index] !== text[index]) return false
  return true
}
