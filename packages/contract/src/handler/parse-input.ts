import * as z from 'zod/mini'
import type { Operation, Schema } from '../operation.ts'
import { describeIssues, issueText } from './describe-issues.ts'
import { payloadTooLarge, unsupportedMediaType, validationError } from './http-error.ts'
import type { RequestView } from './request-view.ts'

const parseOptions = { error: issueText }

function parseWith(schema: Schema, value: unknown, place: string): unknown {
  const parsed = z.safeParse(schema, value, parseOptions)
  if (parsed.success) return parsed.data
  throw validationError(describeIssues(parsed.error.issues, place))
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

/** Query parameters, checked. A parameter that stands twice is refused: which one was meant is unknown. */
export function parseQuery(operation: Operation, search: string): unknown {
  if (!operation.query) return undefined
  const values = new Map<string, string>()
  if (search !== '') {
    for (const [name, value] of new URLSearchParams(search)) {
      if (values.has(name)) throw validationError(`${name}: stands more than once in the query`)
      values.set(name, value)
    }
  }
  return parseWith(operation.query, Object.fromEntries(values), 'query')
}

/** JSON body, read within the limit and checked. */
export async function parseBody(
  operation: Operation,
  request: RequestView,
  maxBytes: number,
): Promise<unknown> {
  if (!operation.body) return undefined
  requireContentType(request, 'application/json')
  const text = await readText(request, maxBytes)
  return parseWith(operation.body, parseJson(text), 'body')
}

/** Refuses another content type, or content that is encoded (a compressed body could grow without limit). */
export function requireContentType(request: RequestView, expected: string): void {
  const type = request.header('content-type')
  if (type !== expected && type?.split(';', 1)[0]?.trim().toLowerCase() !== expected) {
    const seen = type === undefined ? 'none' : `"${type.slice(0, 100)}"`
    throw unsupportedMediaType(`Content-Type must be ${expected}, got ${seen}.`)
  }
  const encoding = request.header('content-encoding')
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw unsupportedMediaType('Content-Encoding is not supported. Send the body as it is.')
  }
}

/** Refuses early what says that it is too large. The real size is counted while reading all the same. */
export function checkContentLength(request: RequestView, what: string, maxBytes: number): void {
  const length = request.header('content-length')
  if (length !== undefined && Number(length) > maxBytes) throw payloadTooLarge(what, maxBytes)
}

async function readText(request: RequestView, maxBytes: number): Promise<string> {
  checkContentLength(request, 'The body', maxBytes)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body()) {
    size += chunk.length
    if (size > maxBytes) throw payloadTooLarge('The body', maxBytes)
    chunks.push(chunk)
  }
  return decodeUtf8(chunks, size)
}

function decodeUtf8(chunks: readonly Uint8Array[], size: number): string {
  let bytes = chunks[0] ?? new Uint8Array()
  if (chunks.length > 1) {
    bytes = new Uint8Array(size)
    let offset = 0
    for (const chunk of chunks) {
      bytes.set(chunk, offset)
      offset += chunk.length
    }
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw validationError('body: not valid UTF-8')
  }
}

function parseJson(text: string): unknown {
  if (text === '') throw validationError('body: is empty, expected JSON')
  try {
    return JSON.parse(text)
  } catch {
    throw validationError('body: not valid JSON')
  }
}
