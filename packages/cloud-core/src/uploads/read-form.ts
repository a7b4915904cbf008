import { HttpError, payloadTooLarge, validationError, type RequestView } from '@homeward/contract/handler'
import { decodeField, make, type MultipartError, type PartInfo } from 'multipasta'
import { cleanForm } from './clean-form.ts'
import { parsePartNames, type PartNames } from './part-names.ts'

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
 * Reads a multipart body (RFC 7578) part by part, without holding a file in memory. A file is what has a file name or the
 * type of plain bytes, and the part `filePart` whatever its headers say: they need not say anything.
 *
 * @throws {HttpError} 413 over `maxBytes`, 400 when the body is broken or was cut.
 */
export async function* readForm(
  request: RequestView,
  maxBytes: number,
  filePart: string,
): AsyncGenerator<FormPart, void> {
  const arrivals = readArrivals(request, maxBytes, filePart)
  try {
    for (let next = await arrivals.next(); !next.done; next = await arrivals.next()) {
      const arrival = next.value
      if (arrival.kind === 'field') yield arrival
      if (arrival.kind !== 'file') continue
      const content = readFile(arrivals)
      yield { ...arrival, content }
      for (let rest = await content.next(); !rest.done; rest = await content.next());
    }
  } finally {
    // Lets go of a body that is not read to its end. Not awaited: on a dead connection the next chunk never comes.
    void arrivals.return(undefined).catch(() => {})
  }
}

async function* readFile(arrivals: AsyncGenerator<Arrival>): AsyncGenerator<Uint8Array, void> {
  for (let next = await arrivals.next(); !next.done; next = await arrivals.next()) {
    if (next.value.kind === 'file-end') return
    if (next.value.kind === 'chunk') yield next.value.chunk
  }
}

async function* readArrivals(
  request: RequestView,
  maxBytes: number,
  filePart: string,
): AsyncGenerator<Arrival, void> {
  let arrived: Arrival[] = []
  let failure: HttpError | undefined
  let done = false
  const boundary = boundaryOf(request.header('content-type') ?? '')
  if (boundary === undefined) throw brokenForm(problems.InvalidBoundary)
  const parser = make({
    headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
    maxParts,
    maxFieldSize: maxFieldBytes,
    isFile(info) {
      checkEncoding(info)
      const { name, fileName } = namesOf(info)
      return name === filePart || fileName !== undefined || info.contentType === 'application/octet-stream'
    },
    onField: (info, value) =>
      arrived.push({ kind: 'field', name: namesOf(info).name, value: decodeField(info, value) }),
    onFile: (info) => {
      arrived.push({ kind: 'file', ...namesOf(info) })
      return (chunk) => arrived.push(chunk ? { kind: 'chunk', chunk } : { kind: 'file-end' })
    },
    onError: (error) => (failure ??= toHttpError(error)),
    onDone: () => (done = true),
  })

  for await (const pieces of cleanForm(readBody(request, maxBytes), boundary, brokenForm)) {
    parse(() => pieces.forEach((piece) => parser.write(piece)))
    if (failure) throw failure
    const ready = arrived
    arrived = []
    yield* ready
  }
  if (!done) parse(() => parser.end())
  if (failure) throw failure
  // The parser keeps a short last chunk until the end, and the last part with it.
  yield* arrived
  if (!done) throw brokenForm(notEnded)
}

function parse(step: () => void): void {
  try {
    step()
  } catch (error) {
    if (error instanceof HttpError) throw error
    // The parser throws where a header's percent-encoding is broken.
    throw Object.assign(brokenForm('a part has a broken header'), { cause: error })
  }
}

async function* readBody(request: RequestView, maxBytes: number): AsyncGenerator<Uint8Array, void> {
  let bytes = 0
  try {
    for await (const chunk of request.body()) {
      bytes += chunk.length
      if (bytes > maxBytes) throw payloadTooLarge('The upload', maxBytes)
      yield chunk
    }
  } catch (error) {
    if (error instanceof HttpError) throw error
    throw Object.assign(brokenForm('the connection was cut'), { cause: error })
  }
}

/** From the header itself: the parser knows no characters beyond Latin-1 in names. */
function namesOf(info: PartInfo): PartNames {
  const header: unknown = info.headers['content-disposition']
  return parsePartNames(typeof header === 'string' ? header : '')
}

/**
 * RFC 7578, section 4.7, does away with encodings. Who still sends one means other bytes than would be kept.
 *
 * @throws {HttpError} 400.
 */
function checkEncoding({ headers }: PartInfo): void {
  const encoding = String(headers['content-transfer-encoding'] ?? 'binary')
  if (!/^(?:7bit|8bit|binary)$/i.test(encoding))
    throw validationError(
      'Content-Transfer-Encoding: is not supported. Send the bytes of a part without encoding.',
    )
}

function boundaryOf(contentType: string): string | undefined {
  const [, quoted, token] = /;\s*boundary\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i.exec(contentType) ?? []
  return (quoted ?? token) || undefined
}

function brokenForm(problem: string): HttpError {
  return validationError(`body: not a complete multipart form: ${problem}`)
}

const notEnded =
  'it ended before its last boundary, which is two dashes, the boundary of Content-Type, and two dashes'
const problems = {
  InvalidBoundary: 'Content-Type has no boundary',
  EndNotReached: notEnded,
  BadHeaders: 'a part has a broken header. End lines with CR and LF',
  InvalidDisposition: 'a part has a broken Content-Disposition',
} as const

function toHttpError(error: MultipartError): HttpError {
  if (error._tag === 'ReachedLimit') {
    if (error.limit === 'MaxFieldSize')
      return validationError(`body: a text part is larger than ${maxFieldBytes} bytes`)
    return validationError(`body: has more than ${maxParts} parts`)
  }
  return brokenForm(problems[error._tag])
}
