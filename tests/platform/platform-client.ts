import { expect } from 'vitest'

/** An answer as a client sees it that knows nothing but HTTP. */
export interface PlatformAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Parsed JSON; empty when the answer is none. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a client looks into whatever came
  readonly body: any
}

/** An event of a stream, as it was written. */
export interface PlatformEvent {
  readonly id: string
  readonly event: string
  // oxlint-disable-next-line typescript/no-explicit-any -- a client looks into whatever came
  readonly data: any
}

/** Speaks HTTP to an agent platform with exactly what the interface document shows. */
export interface PlatformClient {
  send(method: string, path: string, body?: unknown, headers?: HeadersInit): Promise<PlatformAnswer>
  /** Like {@link send}, for calls that have to work. */
  ok(method: string, path: string, body?: unknown): Promise<PlatformAnswer['body']>
  /** Events of a streamed answer, as they come. */
  events(method: string, path: string, body?: unknown, headers?: HeadersInit): AsyncGenerator<PlatformEvent>
}

export function createPlatformClient(baseUrl: string, always: Record<string, string> = {}): PlatformClient {
  function call(method: string, path: string, body: unknown, headers: HeadersInit = {}): Promise<Response> {
    const isJson = body !== undefined && !(body instanceof FormData)
    const given = Object.fromEntries(new Headers(headers))
    return fetch(baseUrl + path, {
      method,
      headers: { ...(isJson && { 'content-type': 'application/json' }), ...always, ...given },
      ...(body !== undefined && { body: isJson ? JSON.stringify(body) : body }),
    })
  }

  async function send(method: string, path: string, given?: unknown, headers?: HeadersInit) {
    const response = await call(method, path, given, headers)
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : {} }
  }

  return {
    send,
    async ok(method, path, given) {
      const { status, text, body } = await send(method, path, given)
      expect([200, 201], `${method} ${path}: ${text}`).toContain(status)
      return body
    },
    async *events(method, path, given, headers) {
      const response = await call(method, path, given, headers)
      expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
      yield* parseEvents(response)
    },
  }
}

async function* parseEvents({ body }: Response): AsyncGenerator<PlatformEvent> {
  let rest = ''
  const decoder = new TextDecoder()
  for await (const chunk of body ?? []) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
      const data = field('data')
      if (data !== undefined)
        yield { id: field('id') ?? '', event: field('event') ?? '', data: JSON.parse(data) }
    }
  }
}
