import {
  payloadTooLarge,
  validationError,
  type HttpError,
  type RequestView,
} from '@homeward/contract/handler'
import { make, type MultipartError, type PartInfo } from 'multipasta'

/** Something of a form, in the order in which it comes. */
export type Arrival =
  | { readonly kind: 'file'; readonly name: string; readonly mediaType?: string }
  | { readonly kind: 'chunk'; readonly chunk: Uint8Array }
  | { readonly kind: 'file-end' }

/** Limits of {@link readArrivals}, and what it does with text parts. */
interface FormOptions {
  readonly maxParts: number
  readonly maxFieldBytes: number
  /** Of the whole form. */
  readonly maxBytes: number
  /** A text part of this name counts as a file too. @default none */
  readonly textFile?: string
  readonly onField?: (name: string, text: string) => void
}

/**
 * The files of a `multipart/form-data` body, as they arrive: none is held in memory.
 *
 * @throws {HttpError} 413 over `maxBytes`; 400 when the body is broken or was cut.
 */
export async function* readArrivals(
  request: RequestView,
  options: FormOptions,
): AsyncGenerator<Arrival, void> {
  let arrived: Arrival[] = []
  let failure: HttpError | undefined
  let isDone = false
  const parser = make({
    headers: { 'content-type': request.header('content-type') ?? '' },
    maxParts: options.maxParts,
    maxFieldSize: options.maxFieldBytes,
    maxTotalSize: options.maxBytes,
    onField(info, value) {
      if (info.name === options.textFile)
        arrived.push({ kind: 'file', name: info.name }, { kind: 'chunk', chunk: value }, { kind: 'file-end' })
      else options.onField?.(info.name, new TextDecoder().decode(value))
    },
    onFile(info) {
      arrived.push({ kind: 'file', name: fileNameOf(info), mediaType: info.contentType })
      return (chunk) => arrived.push(chunk ? { kind: 'chunk', chunk } : { kind: 'file-end' })
    },
    onError: (error) => (failure ??= toHttpError(error, options)),
    onDone: () => (isDone = true),
  })
  const take = (step: () => void): Arrival[] => {
    try {
      step()
    } catch (cause) {
      if (isHttpError(cause)) throw cause
      // the parser throws where a header's percent-encoding is broken
      throw Object.assign(brokenForm('a part has an invalid header'), { cause })
    }
    if (failure) throw failure
    const ready = arrived
    arrived = []
    return ready
  }

  for await (const chunk of readBody(request)) yield* take(() => parser.write(chunk))
  if (!isDone) yield* take(() => parser.end())
  if (!isDone) throw brokenForm('it ended before its last boundary')
}

const isHttpError = (error: unknown): error is HttpError => error instanceof Error && 'status' in error

/** From the header itself: the parser knows no characters beyond Latin-1 in names. */
function fileNameOf({ headers, filename, name }: PartInfo): string {
  const disposition = String(headers['content-disposition'] ?? '')
  const quoted = /;\s*filename="((?:[^"\\]|\\.)*)"/isu.exec(disposition)?.[1]
  return quoted?.replaceAll('\\"', '"').replaceAll('%22', '"') ?? filename ?? name
}

async function* readBody(request: RequestView): AsyncGenerator<Uint8Array, void> {
  try {
    yield* request.body()
  } catch (cause) {
    throw Object.assign(brokenForm('the connection was cut'), { cause })
  }
}

function brokenForm(problem: string): HttpError {
  return validationError(`body: is not a complete multipart form: ${problem}`)
}

function toHttpError(error: MultipartError, { maxParts, maxBytes }: FormOptions): HttpError {
  if (error._tag === 'ReachedLimit') {
    if (error.limit === 'MaxParts') return validationError(`body: must have at most ${maxParts} parts`)
    return payloadTooLarge('The upload', maxBytes)
  }
  return brokenForm(
    error._tag === 'InvalidBoundary' ? 'Content-Type has no boundary' : 'a part has an invalid header',
  )
}
