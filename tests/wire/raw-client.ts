import type { FacedCloud } from './cloud-faces.ts'

/** JSON as it came: nothing is known about it but what a test asserts. */
type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

/** An answer as a client sees it that knows nothing but HTTP. */
export interface RawAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: JsonObject
}

/** A field of an answer that must be text. */
export function textOf(json: JsonObject, field: string): string {
  const value = json[field]
  if (typeof value === 'string') return value
  throw new Error(`The answer has no text "${field}": ${JSON.stringify(json)}`)
}

/** A registered device, with the header that its calls carry. */
export interface RawDevice {
  readonly id: string
  readonly apiKey: string
  readonly headers: { readonly Authorization: string }
}

/** Speaks HTTP to a cloud with exactly the bodies that the interface document shows. */
export interface RawClient {
  get(path: string, headers?: Record<string, string>): Promise<RawAnswer>
  post(path: string, body: Json, headers?: Record<string, string>): Promise<RawAnswer>
  send(path: string, init: RequestInit): Promise<RawAnswer>
  register(name?: string): Promise<RawDevice>
  /** Creates a search for devices and gives the ids of the searches. */
  search(deviceIds: readonly string[]): Promise<string[]>
  /** Asks devices for a file and gives the ids of the requests. */
  askForFile(deviceIds: readonly string[], filePath?: string): Promise<string[]>
  upload(device: RawDevice, requestId: string, content: BlobPart, fileName?: string): Promise<RawAnswer>
}

export function createRawClient({ baseUrl, fetch }: Pick<FacedCloud, 'baseUrl' | 'fetch'>): RawClient {
  async function send(path: string, init: RequestInit): Promise<RawAnswer> {
    const response = await fetch(path.startsWith('http') ? path : baseUrl + path, init)
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
    const json = isJson && text !== '' ? (JSON.parse(text) as JsonObject) : {}
    return { status: response.status, headers: response.headers, text, json }
  }

  const post: RawClient['post'] = (path, body, headers = {}) =>
    send(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const idsOf = (rows: Json | undefined) => (rows as { id: string }[]).map((row) => row.id)

  return {
    send,
    post,
    get: (path, headers = {}) => send(path, { headers }),
    async register(name = 'Laptop') {
      const registration = { name, type: 'laptop', platform: 'linux', metadata: {} }
      const { json } = await post('/api/devices', registration)
      const { device, apiKey } = json as { device: { id: string }; apiKey: string }
      return { id: device.id, apiKey, headers: { Authorization: `Bearer ${apiKey}` } }
    },
    async search(deviceIds) {
      const body = { query: 'notes', scope: ['files'], deviceIds: [...deviceIds] }
      return idsOf((await post('/api/devices/search/query', body)).json['searchQueries'])
    },
    async askForFile(deviceIds, filePath = '/home/ada/notes.txt') {
      const body = { deviceIds: [...deviceIds], filePath, destination: 'cloud' }
      return idsOf((await post('/api/devices/files/upload-requests', body)).json['uploadRequests'])
    },
    upload(device, requestId, content, fileName = 'notes.txt') {
      const form = new FormData()
      form.append('file', new Blob([content]), fileName)
      form.append('requestId', requestId)
      return send('/api/devices/files/upload', { method: 'POST', headers: device.headers, body: form })
    },
  }
}
