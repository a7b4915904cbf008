import { randomUUID } from 'node:crypto'
import { check, type GradedCase } from '../conformance-case.ts'

/** An answer of the server under judgment. */
export interface CloudAnswer {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
  /** The body, if it is a JSON object; else empty. */
  readonly body: Readonly<Record<string, unknown>>
}

/** One request. Without `key` and with `session: false` it carries no credentials. */
interface CloudRequest {
  /** API key of a device; instead of the session. */
  readonly key?: string
  readonly session?: false
  readonly json?: unknown
  readonly body?: Buffer | FormData | string
  readonly headers?: Readonly<Record<string, string>>
}

/** A device of the runner's own. */
export interface OwnDevice {
  readonly id: string
  readonly key: string
  /** A request of this device. */
  call(method: string, path: string, request?: Omit<CloudRequest, 'key' | 'session'>): Promise<CloudAnswer>
}

/** A server, as one case sees it. */
export interface CloudTrial {
  readonly hasToken: boolean
  /** A request of the user, or of whoever the request names. `path` may be a whole address. */
  call(method: string, path: string, request?: CloudRequest): Promise<CloudAnswer>
  /** Registers a device that is deleted after the case. */
  register(): Promise<OwnDevice>
  /** Creates a search for a device; gives its id. */
  addSearch(device: OwnDevice, query: string, scope?: readonly string[]): Promise<string>
  /** Asks a device for a file; gives the id of the request. */
  addUpload(device: OwnDevice, filePath: string): Promise<string>
  /** The search as the user sees it. */
  readSearch(id: string): Promise<Readonly<Record<string, unknown>>>
  /** Lines about the requests so far, without credentials. */
  seen(): readonly string[]
  /** Deletes the devices. */
  end(): Promise<void>
}

/** A promise of clouds. */
export type CloudCase = GradedCase<CloudTrial>

/** Rows of a list in an answer. */
export const rowsIn = (answer: CloudAnswer, name: string): readonly Readonly<Record<string, unknown>>[] => {
  const rows = answer.body[name]
  check(
    Array.isArray(rows),
    `"${name}" must be a list, got ${JSON.stringify(rows)} with status ${answer.status}.`,
  )
  return rows as Record<string, unknown>[]
}

/** Fails unless the answer has one of these statuses. */
export function expectStatus(answer: CloudAnswer, what: string, ...allowed: readonly number[]): void {
  check(allowed.includes(answer.status), `${what} must get ${allowed.join(' or ')}, got ${answer.status}.`)
}

/** Fails unless the answer is this error. */
export function expectError(answer: CloudAnswer, what: string, status: number, error: string): void {
  expectStatus(answer, what, status)
  const got = JSON.stringify(answer.body['error'])
  check(answer.body['error'] === error, `"error" of ${what} must be "${error}", got ${got}.`)
}

const answerLimitMs = 90_000

/** Builds what cases of clouds work with. */
export function createCloudTrial(url: string, sessionToken: string | undefined): CloudTrial {
  const base = url.replace(/\/+$/, '')
  const devices = new Set<string>()
  const secrets = new Set<string>(sessionToken === undefined ? [] : [sessionToken])
  const lines: string[] = []
  const hide = (line: string) => [...secrets].reduce((text, secret) => text.replaceAll(secret, '<key>'), line)

  async function call(method: string, path: string, request: CloudRequest = {}): Promise<CloudAnswer> {
    const { key, session, json, body } = request
    const credential = key ?? (session === false ? undefined : sessionToken)
    const headers = {
      ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...request.headers,
    }
    const sent = json === undefined ? body : JSON.stringify(json)
    const address = path.startsWith('http') ? path : base + path
    const content = sent === undefined ? {} : { body: Buffer.isBuffer(sent) ? new Uint8Array(sent) : sent }
    const response = await fetchWhole(address, { method, headers, redirect: 'manual', ...content })
    const { bytes } = response
    const text = typeof sent === 'string' ? ` ${sent.slice(0, 200)}` : ''
    // no secret is cut into pieces that nobody would recognize
    lines.push(`${method} ${path}${text} -> ${response.status} ${bytes.subarray(0, 10_000).toString('utf8')}`)
    return { status: response.status, headers: response.headers, bytes, body: toObject(bytes) }
  }

  async function create(path: string, list: string, json: object): Promise<string> {
    const answer = await call('POST', path, { json })
    expectStatus(answer, `POST ${path}`, 200, 201)
    const id = rowsIn(answer, list)[0]?.['id']
    check(typeof id === 'string', `"${list}[0].id" must be a string.`)
    return id
  }

  return {
    hasToken: sessionToken !== undefined,
    call,
    async register() {
      const json = { name: `conformance ${randomUUID()}`, type: 'server', platform: 'linux', metadata: {} }
      const answer = await call('POST', '/api/devices', { json })
      expectStatus(answer, 'A registration', 200, 201)
      const { id } = (answer.body['device'] ?? {}) as { readonly id?: unknown }
      const key = answer.body['apiKey']
      check(
        typeof id === 'string' && typeof key === 'string',
        'A registration must give "device.id" and "apiKey".',
      )
      devices.add(id)
      secrets.add(key)
      return { id, key, call: (method, path, request = {}) => call(method, path, { ...request, key }) }
    },
    addSearch: ({ id }, query, scope = ['files']) =>
      create('/api/devices/search/query', 'searchQueries', { query, scope, deviceIds: [id] }),
    addUpload: ({ id }, filePath) =>
      create('/api/devices/files/upload-requests', 'uploadRequests', { filePath, deviceIds: [id] }),
    async readSearch(id) {
      const [row] = rowsIn(await call('GET', `/api/devices/search/query?queryId=${id}`), 'results')
      check(row !== undefined, 'The search must be in the list that "queryId" asks for.')
      return row
    },
    seen: () => lines.slice(-20).map((line) => hide(line).slice(0, 600)),
    async end() {
      for (const id of devices) await call('DELETE', `/api/devices/${id}`).catch(() => {})
    },
  }
}

/** A request and its whole answer, within a time. */
async function fetchWhole(address: string, init: RequestInit) {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), answerLimitMs)
  try {
    const response = await fetch(address, { ...init, signal: controller.signal })
    const bytes = Buffer.from(await response.arrayBuffer())
    return { status: response.status, headers: response.headers, bytes }
  } finally {
    clearTimeout(timer)
  }
}

function toObject(bytes: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
