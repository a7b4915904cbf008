import * as z from 'zod/mini'
import type { EncodedBody, Operation, Schema } from '../operation.ts'
import { describeIssues, describeIssue } from './describe-issues.ts'
import { isFileForm, isForm, readBodyForm } from './read-body-form.ts'
import { parseExactJson, readBounded } from '@homeward/kit'
import { payloadTooLarge, unsupportedMediaType, validationError } from './http-error.ts'
import type { RequestView } from './request-view.ts'

const parseOptions = { error: describeIssue }

/** How deep a JSON body may nest: far above what any operation takes, far below what overflows a stack. */
const maxDepth = 100

function parseWith(schema: Schema, value: unknown, place: string): unknown {
  const parsed = z.safeParse(schema, value, parseOptions)
  if (parsed.success) return parsed.data
  throw validationError(describeIssues(parsed.error.issues, place))
}

/** A body. Where a field may be absent, `null` counts as absent, whatever its row says. */
function parseBodyWith({ body, auth, method, path: route }: Operation, value: unknown): unknown {
  const schema = body as Schema // asked for by those that have one
  const parsed = z.safeParse(schema, value, parseOptions)
  if (parsed.success) return parsed.data
  // of an agent, null clears a field, and there is one that cannot be cleared
  // and a change of a device by PATCH could mean either
  const isTolerant = auth === 'local' ? route !== '/api/agents/{id}' : method === 'POST'
  const nulls = isTolerant ? parsed.error.issues.filter(({ path }) => isNullAt(value, path)) : []
  if (nulls.length > 0 && nulls.length <= mostNulls) {
    const less = structuredClone(value)
    for (const { path } of nulls) removeAt(less, path)
    const again = z.safeParse(schema, less, parseOptions)
    if (again.success) return again.data
  }
  throw validationError(describeIssues(parsed.error.issues, 'body'))
}

/** A body with more of them is not worth a second look: it would hold up everybody else. */
const mostNulls = 10_000

const entryAt = (value: unknown, key: PropertyKey): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined

const isNullAt = (value: unknown, path: readonly PropertyKey[]) =>
  path.length > 0 && path.reduce(entryAt, value) === null

function removeAt(value: unknown, path: readonly PropertyKey[]): void {
  const holder = path.slice(0, -1).reduce(entryAt, value)
  const key = path.at(-1)
  // an item of a list is no field
  if (key !== undefined && typeof holder === 'object' && holder !== null && !Array.isArray(holder))
    Reflect.deleteProperty(holder, key)
}

/** Path parameters, decoded and checked. */
export function parseParams(
  operation: Operation,
  raw: Readonly<Record<string, string>> | undefined,
): unknown {
  if (!operation.params) return undefined
  const decoded: Record<string, string> = {}
  for (const [name, value] of Object.entries(raw ?? {})) {
    try {
      decoded[name] = decodeURIComponent(value)
    } catch {
      throw validationError(`${name}: the path is not valid percent-encoded UTF-8`)
    }
  }
  return parseWith(operation.params, decoded, 'path')
}

/**
 * Query parameters, checked. A known parameter that stands twice is refused, because which one was meant cannot be told,
 * unless the operation lets it stand more than once. Unknown ones are ignored, however often they stand, or rejected where
 * the schema is strict.
 */
export function parseQuery(operation: Operation, search: string): unknown {
  if (!operation.query) return undefined
  if (search === '') return parseWith(operation.query, {}, 'query')
  const values = new Map<string, string | string[]>()
  const repeated: string[] = []
  for (const [name, value] of new URLSearchParams(search)) {
    if (operation.repeatable?.includes(name)) {
      values.set(name, [values.get(name) ?? [], value].flat())
      continue
    }
    if (values.has(name)) repeated.push(name)
    values.set(name, value)
  }
  const parsed = parseWith(operation.query, Object.fromEntries(values), 'query')
  // What is left after parsing is what the operation knows.
  for (const name of repeated) {
    if (Object.hasOwn(parsed as object, name)) {
      throw validationError(`${name}: must be given only once in the query`)
    }
  }
  return parsed
}

/** Refuses a JSON body early that says that it is too large. A form of files has limits of its own. */
export function checkBodyLength(operation: Operation, request: RequestView, maxBytes: number): void {
  if (operation.body && !isFileForm(operation, request)) checkContentLength(request, 'The body', maxBytes)
}

/** JSON body, or a form that stands for one, read within the limit and checked. */
export async function parseBody(
  operation: Operation,
  request: RequestView,
  maxBytes: number,
): Promise<unknown> {
  if (!operation.body) return undefined
  if (operation.optionalBody) {
    // Clients often name the content type although they send nothing.
    const bytes = await readUnread(request, 'The body', maxBytes)
    if (bytes.length === 0) return parseWith(operation.body, {}, 'body')
    requireContentType(request, 'application/json')
    return parseBodyWith(operation, parseJson(decodeUtf8(bytes), 'body'))
  }
  if (isFileForm(operation, request)) return undefined // the handler reads it
  const form = operation.bodyForm && isForm(request) ? operation.bodyForm : undefined
  requireContentType(request, form ? 'multipart/form-data' : 'application/json')
  const bytes = await readUnread(request, 'The body', maxBytes)
  const given = form
    ? await readBodyForm(bytes, request, form, parseJson)
    : parseJson(decodeUtf8(bytes), 'body')
  return parseBodyWith(operation, given)
}

/** Refuses another content type, or content that is encoded (a compressed body could grow without limit). */
export function requireContentType(request: RequestView, expected: string, wanted?: string): void {
  const type = request.header('content-type')
  if (type !== expected && type?.split(';', 1)[0]?.trim().toLowerCase() !== expected) {
    const seen = type === undefined ? 'none' : `"${type.slice(0, 100)}"`
    throw unsupportedMediaType(`Content-Type must be ${expected}, got ${seen}.`)
  }
  const encoding = request.header('content-encoding')
  if (encoding === undefined || encoding.toLowerCase() === (wanted ?? 'identity')) return
  throw unsupportedMediaType(
    wanted === undefined
      ? 'Content-Encoding is not supported. Send the body without encoding.'
      : `Content-Encoding must be ${wanted}.`,
  )
}

/** Rejects bytes of another content type or content encoding than those of the operation. */
export function requireBytes(request: RequestView, bytes: true | EncodedBody): void {
  if (bytes === true) return requireContentType(request, 'application/octet-stream')
  requireContentType(request, bytes.type, bytes.encoding)
  if (request.header('content-encoding') === undefined)
    throw unsupportedMediaType(`Content-Encoding must be ${bytes.encoding}.`)
}

/**
 * Refuses a request whose body is gone already: it would look like an empty one, or one that was cut, and be put down to
 * the caller.
 *
 * @throws {Error} that says what to do; it is the host's, so that the caller gets 500.
 */
export function assertUnread(request: RequestView): void {
  if (request.isRead !== true) return
  throw new Error(
    'Reading the body of a request failed: other code read it before the handler. ' +
      'Mount the handler before body parsers such as express.json(), or pass on a clone.',
  )
}

/** Rejects a request early if `Content-Length` is above the limit. The actual size is also counted while reading. */
export function checkContentLength(request: RequestView, what: string, maxBytes: number): void {
  const length = request.header('content-length')
  if (length !== undefined && Number(length) > maxBytes) throw payloadTooLarge(what, maxBytes)
}

/**
 * Reads all bytes of the body.
 *
 * @throws {HttpError} 413 if the body has more than `maxBytes`, 400 if the connection broke.
 */
export async function readBytes(request: RequestView, what: string, maxBytes: number): Promise<Uint8Array> {
  checkContentLength(request, what, maxBytes)
  return readUnread(request, what, maxBytes)
}

async function readUnread(request: RequestView, what: string, maxBytes: number): Promise<Uint8Array> {
  assertUnread(request)
  const bytes = await readWhole(request, maxBytes)
  if (!bytes) throw payloadTooLarge(what, maxBytes)
  return bytes
}

async function readWhole(request: RequestView, maxBytes: number): Promise<Uint8Array | undefined> {
  try {
    return await (request.readBody ? request.readBody(maxBytes) : readBounded(request.body(), maxBytes))
  } catch (error) {
    // A caller that went away is no failure of this server, and nobody is left to read the answer.
    throw Object.assign(validationError('body: the connection was cut'), { cause: error })
  }
}

// One for all: it keeps nothing from one call to the next, and making one costs as much as using it.
const decoder = new TextDecoder('utf-8', { fatal: true })

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw validationError('body: not valid UTF-8')
  }
}

/** @param name - of the body or of the part of a form, for errors */
function parseJson(text: string, name: string): unknown {
  if (text === '') throw validationError(`${name}: is empty, expected JSON`)
  if (text.length > maxDepth && isDeeperThan(text, maxDepth)) {
    throw validationError(`${name}: is nested deeper than ${maxDepth} levels`)
  }
  try {
    return parseExactJson(text)
  } catch {
    throw validationError(`${name}: not valid JSON`)
  }
}

const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/**
 * Whether JSON nests deeper than `limit`. Text that is no JSON gives any answer.
 *
 * Asked before parsing, and only of bodies from the network: V8 parses 5 MiB of `[` in more than a second of CPU time and
 * 400 MB, some twenty times what other JSON of that size takes, while this answers at once. For a value that is parsed
 * already, take `isDeeperThan` of `@homeward/kit`.
 */
export function isDeeperThan(text: string, limit: number): boolean {
  if (!opensMoreThan(text, limit)) return false
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (code === openBracket || code === openBrace) depth += 1
    else if (code === closeBracket || code === closeBrace) depth -= 1
    if (depth > limit) return true
  }
  return false
}

/** Place of the quote that ends the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === backslash) at += 1
    else if (code === quote) return at
  }
  return text.length
}

/** Whether there are enough openings at all: finding them is many times faster than reading every character. */
function opensMoreThan(text: string, limit: number): boolean {
  let openings = 0
  for (const opening of ['{', '[']) {
    for (let at = text.indexOf(opening); at >= 0; at = text.indexOf(opening, at + 1)) {
      openings += 1
      if (openings > limit) return true
    }
  }
  return false
}
