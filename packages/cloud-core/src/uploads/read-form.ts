import {
  type HttpError,
  payloadTooLarge,
  validationError,
  type RequestView,
} from '@homeward/contract/handler'
import { decodeField, make, type MultipartError } from 'multipasta'

/** A part of a `multipart/form-data` body, in the order of arrival. */
export type FormPart =
  | { readonly kind: 'field'; readonly name: string; readonly value: string }
  | {
      readonly kind: 'file'
      readonly name: string
      readonly fileName: string | undefined
      /** Must be read, or left, before the next part is asked for. */
      readonly content: AsyncIterable<Uint8Array>
    }

type Arrival =
  | { readonly kind: 'field'; readonly name: string; readonly value: string }
  | { readonly kind: 'file'; readonly name: string; readonly fileName: string | undefined }
  | { readonly kind: 'chunk'; readonly chunk: Uint8Array }
  | { readonly kind: 'file-end' }

const maxParts = 16
const maxFieldBytes = 16 * 1024

/**
 * Reads a multipart body (RFC 7578) part by part, without holding a file in memory.
 *
 * @throws {HttpError} 413 over `maxBytes`, 400 when the body is broken or was cut.
 */
export async function* readForm(request: RequestView, maxBytes: number): AsyncGenerator<FormPart, void> {
  const arrivals = readArrivals(request, maxBytes)
  for (let next = await arrivals.next(); !next.done; next = await arrivals.next()) {
    const arrival = next.value
    if (arrival.kind === 'field') yield arrival
    if (arrival.kind !== 'file') continue
    const content = readFile(arrivals)
    yield { ...arrival, content }
    for (let rest = await content.next(); !rest.done; rest = await content.next());
  }
}

async function* readFile(arrivals: AsyncGenerator<Arrival>): AsyncGenerator<Uint8Array, void> {
  for (let next = await arrivals.next(); !next.done; next = await arrivals.next()) {
    if (next.value.kind === 'file-end') return
    if (next.value.kind === 'chunk') yield next.value.chunk
  }
}

async function* readArrivals(request: RequestView, maxBytes: number): AsyncGenerator<Arrival, void> {
  let arrived: Arrival[] = []
  let failure: HttpError | undefined
  let done = false
  const parser = make({
    headers: { 'content-type': request.header('content-type') ?? '' },
    maxParts,
    maxFieldSize: maxFieldBytes,
    maxTotalSize: maxBytes,
    onField: (info, value) =>
      arrived.push({ kind: 'field', name: info.name, value: decodeField(info, value) }),
    onFile: (info) => {
      arrived.push({ kind: 'file', name: info.name, fileName: info.filename && unescapeName(info.filename) })
      return (chunk) => arrived.push(chunk ? { kind: 'chunk', chunk } : { kind: 'file-end' })
    },
    onError: (error) => (failure ??= toHttpError(error, maxBytes)),
    onDone: () => (done = true),
  })

  for await (const chunk of readBody(request)) {
    parse(() => parser.write(chunk))
    if (failure) throw failure
    const ready = arrived
    arrived = []
    yield* ready
  }
  if (!done) parse(() => parser.end())
  if (failure) throw failure
  if (!done) throw brokenForm('it ended before its last boundary')
}

function parse(step: () => void): void {
  try {
    step()
  } catch (error) {
    // The parser throws where a header's percent-encoding is broken.
    throw Object.assign(brokenForm('a part has a broken header'), { cause: error })
  }
}

async function* readBody(request: RequestView): AsyncGenerator<Uint8Array, void> {
  try {
    yield* request.body()
  } catch (error) {
    throw Object.assign(brokenForm('the connection was cut'), { cause: error })
  }
}

/** The WHATWG HTML standard escapes these three characters, and only these, in names of parts. */
function unescapeName(name: string): string {
  return name.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n')
}

function brokenForm(problem: string): HttpError {
  return validationError(`body: not a whole multipart form: ${problem}`)
}

function toHttpError(error: MultipartError, maxBytes: number): HttpError {
  if (error._tag === 'ReachedLimit') {
    if (error.limit === 'MaxTotalSize') return payloadTooLarge('The upload', maxBytes)
    if (error.limit === 'MaxFieldSize')
      return validationError(`body: a text part is larger than ${maxFieldBytes} bytes`)
    return validationError(`body: has more than ${maxParts} parts`)
  }
  return brokenForm(
    error._tag === 'InvalidBoundary' ? 'Content-Type names no boundary' : 'a part has a broken header',
  )
}
