import type { SearchReport, SearchRequest, UploadRequest } from '@homeward/contract/device-cloud'

/** One request as a fake cloud saw it. */
interface Hit {
  readonly path: string
  readonly method: string | undefined
  readonly atMs: number
  readonly authorization: string | null
  readonly prefer: string | null
  readonly redirect: RequestInit['redirect']
  readonly body: unknown
}

/** Answers for one path; the last one is repeated. */
export type FakeAnswer = (hit: Hit, signal: AbortSignal) => Response | Promise<Response>

const paths = {
  beat: '/api/devices/heartbeat',
  searches: '/api/devices/search/pending',
  report: '/api/devices/search',
  uploads: '/api/devices/files/upload-requests/pending',
  upload: '/api/devices/files/upload',
  work: '/api/devices/work',
  catalog: '/api/devices/catalog',
} as const

/** The requests that a device sends. */
export type FakeRoute = keyof typeof paths

const defaults: Readonly<Record<FakeRoute, FakeAnswer>> = {
  beat: () => Response.json({ success: true, status: 'online' }),
  searches: () => Response.json({ requests: [] }),
  report: ({ body }) => {
    const { queryId, error } = body as SearchReport
    return Response.json(
      error
        ? { success: false, queryId, status: 'failed', error }
        : { success: true, queryId, status: 'completed' },
    )
  },
  uploads: () => Response.json({ requests: [] }),
  // a cloud of before
  work: () => Response.json({ error: 'Method not allowed' }, { status: 405 }),
  catalog: () => Response.json({ success: true, asOf: '2026-01-01T00:00:00.000Z', files: 1 }),
  upload: ({ body }) =>
    Response.json(
      (body as FormData).has('file')
        ? { success: true, fileName: 'a', fileUrl: 'https://cloud.example/a' }
        : { success: false, error: (body as FormData).get('error') },
    ),
}

/** A cloud made of functions, for tests with fake timers. */
export function createFakeCloud(answers: Partial<Record<FakeRoute, FakeAnswer>> = {}) {
  const hits: Hit[] = []
  const routes = { ...defaults, ...answers }
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const path = new URL(url).pathname
    const headers = new Headers(init.headers)
    const body: unknown =
      init.body instanceof ReadableStream ? await toForm(init.body, headers) : parse(init.body)
    const hit = {
      path,
      method: init.method,
      atMs: Date.now(),
      authorization: headers.get('authorization'),
      prefer: headers.get('prefer'),
      redirect: init.redirect,
      body,
    }
    hits.push(hit)
    const route = (Object.keys(paths) as FakeRoute[]).find((name) => paths[name] === path)
    if (!route) throw new Error(`no such path: ${path}`)
    return routes[route](hit, init.signal ?? new AbortController().signal)
  }
  return {
    fetch,
    hits,
    routes,
    to: (route: FakeRoute) => hits.filter(({ path }) => path === paths[route]),
    reports: () => hits.filter(({ path }) => path === paths.report).map(({ body }) => body as SearchReport),
  }
}

function parse(body: unknown): unknown {
  return typeof body === 'string' ? JSON.parse(body) : body
}

function toForm(body: ReadableStream, headers: Headers): Promise<FormData> {
  return new Response(body, { headers: { 'content-type': headers.get('content-type') ?? '' } }).formData()
}

/** A pending search. */
export function search(id: string, scope: readonly string[] = ['files'], query = 'report'): SearchRequest {
  return { id, query, scope: [...scope], createdAt: '2026-01-01T00:00:00.000Z' }
}

/** A pending upload request. */
export function upload(id: string, filePath = '/home/a.txt'): UploadRequest {
  return { id, filePath, destination: 'cloud', createdAt: '2026-01-01T00:00:00.000Z' }
}

/** An answer of a pending list, with `Preference-Applied` when `held`. */
export function list(requests: readonly unknown[], held = false): Response {
  return Response.json({ requests }, held ? { headers: { 'preference-applied': 'wait=50' } } : {})
}

/** Answers after `ms`, as a cloud does that holds a poll; rejects on abort. */
export function after(ms: number, answer: () => Response, signal: AbortSignal): Promise<Response> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(answer()), ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    })
  })
}
