import type { IncomingHttpHeaders } from 'node:http'

/** What a device can ask a cloud for. */
export type DeviceOperation =
  | 'heartbeat'
  | 'searches'
  | 'work'
  | 'report'
  | 'uploads'
  | 'upload'
  | 'plan'
  | 'progress'
  | 'chunk'
  | 'complete'
  | 'unknown'

/** A request of the agent. */
export interface SeenRequest {
  readonly operation: DeviceOperation
  readonly method: string
  /** Path and query, as they came. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** Milliseconds of the monotonic clock when the request began. */
  readonly atMs: number
  /** How it was answered: a status, or what was done instead. */
  answer: string
}

const fixed: Readonly<Record<string, DeviceOperation>> = {
  'POST /api/devices/heartbeat': 'heartbeat',
  'GET /api/devices/search/pending': 'searches',
  'POST /api/devices/work': 'work',
  'POST /api/devices/search': 'report',
  'GET /api/devices/files/upload-requests/pending': 'uploads',
  'POST /api/devices/files/upload': 'upload',
}

const chunked: readonly (readonly [pattern: RegExp, operation: DeviceOperation])[] = [
  [/^PUT \/api\/devices\/files\/uploads\/[^/]+$/, 'plan'],
  [/^GET \/api\/devices\/files\/uploads\/[^/]+$/, 'progress'],
  [/^PUT \/api\/devices\/files\/uploads\/[^/]+\/chunks\/\d+$/, 'chunk'],
  [/^POST \/api\/devices\/files\/uploads\/[^/]+\/complete$/, 'complete'],
]

/** The operation of a request. */
export function operationOf(method: string, url: string): DeviceOperation {
  const line = `${method} ${url.split('?')[0]}`
  return fixed[line] ?? chunked.find(([pattern]) => pattern.test(line))?.[1] ?? 'unknown'
}

/** The body as JSON; undefined when it is not JSON. */
export function jsonOf(request: Pick<SeenRequest, 'body'>): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(request.body))
  } catch {
    return undefined
  }
}

/** The body as a JSON object; empty when it is not one. */
export function objectOf(request: Pick<SeenRequest, 'body'>): Readonly<Record<string, unknown>> {
  const value = jsonOf(request)
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

const isText = (bytes: Buffer) => !bytes.subarray(0, 2000).includes(0)

/** One line about a request, without the key. */
export function describeRequest(request: SeenRequest, key: string, startMs: number): string {
  const { method, url, body, answer, atMs, headers } = request
  const hide = (text: string) => text.replaceAll(key, '<key>')
  const time = `+${((atMs - startMs) / 1000).toFixed(2)} s`
  const contentType = headers['content-type']
  const type = contentType === undefined ? '' : ` (${hide(contentType).slice(0, 60)})`
  const shown = isText(body) ? hide(body.subarray(0, 10_000).toString('utf8')).slice(0, 300) : undefined
  const text = shown === undefined ? `${body.length} bytes` : JSON.stringify(shown)
  const sent = body.length === 0 ? '' : `${type} ${text}`
  return `${time} ${method} ${hide(url).slice(0, 200)}${sent} -> ${answer}`
}
