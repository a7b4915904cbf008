import type { BodyForm } from '../operation.ts'
import { validationError } from './http-error.ts'
import type { RequestView } from './request-view.ts'

/** Whether the body is a form, by its content type. */
export function isForm(request: RequestView): boolean {
  const type = request.header('content-type')
  return type?.split(';', 1)[0]?.trim().toLowerCase() === 'multipart/form-data'
}

/**
 * The JSON body that a form stands for: one part holds the JSON, and each file of the form is added to a list in it.
 *
 * @throws {HttpError} 400 if the form is broken or the JSON is missing.
 */
export async function readBodyForm(
  bytes: Uint8Array,
  request: RequestView,
  { body, file, list }: BodyForm,
  parseJson: (text: string) => unknown,
): Promise<unknown> {
  const form = await parseForm(bytes, request.header('content-type') ?? '')
  const parts = form.getAll(body)
  const [part] = parts
  if (part === undefined || parts.length > 1)
    throw validationError(`${body}: the form needs this part once, with JSON`)
  const given = parseJson(typeof part === 'string' ? part : await part.text())
  const files: unknown[] = []
  for (const each of form.getAll(file)) {
    if (typeof each === 'string') throw validationError(`${file}: is not a file. Send it with a file name.`)
    const data = new Uint8Array(await each.arrayBuffer())
    files.push({ name: each.name, media_type: each.type || 'application/octet-stream', data })
  }
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given)
  if (!isObject || files.length === 0) return given // its schema says what is wrong
  const before: unknown = Reflect.get(given, list)
  return { ...given, [list]: [...(Array.isArray(before) ? before : []), ...files] }
}

async function parseForm(bytes: Uint8Array, contentType: string): Promise<FormData> {
  try {
    // the bytes are nobody else's: a body of a request is not shared memory
    return await new Response(bytes as Uint8Array<ArrayBuffer>, {
      headers: { 'content-type': contentType },
    }).formData()
  } catch (cause) {
    throw Object.assign(validationError('body: not a whole multipart form'), { cause })
  }
}
