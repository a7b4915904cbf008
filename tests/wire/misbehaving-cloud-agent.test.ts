import { inspect } from 'node:util'
import {
  createDeviceAgent,
  createMemoryOutbox,
  DeviceCloudError,
  Secret,
  type AgentEvents,
  type Outbox,
} from '@homeward/device-sdk'
import { http, HttpResponse, type HttpResponseResolver } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

const apiKey = `hw_${'topsecret'.repeat(5)}`.slice(0, 46)
const baseUrl = 'https://cloud.example'
const request = { id: 'q', query: 'notes', scope: ['mine'], createdAt: '2026-01-01T00:00:00Z' }
const hits: string[] = []
const server = setupServer()

beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
afterEach(() => {
  server.resetHandlers()
  hits.length = 0
})
afterAll(() => server.close())
server.events.on('request:start', ({ request: sent }) => {
  hits.push(`${sent.method} ${new URL(sent.url).pathname}`)
})

const paths = {
  heartbeat: '/api/devices/heartbeat',
  searches: '/api/devices/search/pending',
  report: '/api/devices/search',
  uploads: '/api/devices/files/upload-requests/pending',
}

/** A cloud that works, apart from what `broken` says. */
function cloudWith(broken: Partial<Record<keyof typeof paths, HttpResponseResolver>> = {}): void {
  const answers: Record<keyof typeof paths, HttpResponseResolver> = {
    heartbeat: () => HttpResponse.json({ success: true, status: 'online' }),
    searches: () => HttpResponse.json({ requests: [request] }),
    report: () => HttpResponse.json({ success: true, queryId: 'q', status: 'completed' }),
    uploads: () => HttpResponse.json({ requests: [] }),
    ...broken,
  }
  const handlers = (Object.keys(paths) as (keyof typeof paths)[]).map((name) =>
    http.all(baseUrl + paths[name], answers[name]),
  )
  server.resetHandlers(...handlers)
}

interface Run {
  readonly events: { readonly name: string; readonly payload: unknown }[]
  readonly outbox: Outbox
  searched(): number
  /** One cycle; gives the error that it ended with. */
  tick(): Promise<unknown>
}

const names: (keyof AgentEvents)[] = [
  'heartbeat:error',
  'poll:error',
  'unauthorized',
  'report:end',
  'report:error',
  'search:end',
  'state:error',
]

function startRun(outbox = createMemoryOutbox()): Run {
  let searched = 0
  const events: Run['events'] = []
  const agent = createDeviceAgent({
    baseUrl,
    apiKey: new Secret(apiKey),
    outbox,
    providers: {
      mine: async () => {
        searched += 1
        return { found: ['a result'] }
      },
    },
  })
  for (const name of names) agent.on(name, (payload: unknown) => void events.push({ name, payload }))
  return {
    events,
    outbox,
    searched: () => searched,
    async tick() {
      const outcome: unknown = await agent.tick().catch((error: unknown) => error)
      const told = inspect([events, outcome, agent], { depth: 20, showHidden: true, getters: true })
      expect(told).not.toContain(apiKey)
      return outcome
    },
  }
}

const countOf = (path: string) => hits.filter((hit) => hit.endsWith(` ${path}`)).length
const json = (status: number, error: string) => () => HttpResponse.json({ error }, { status })

const misbehaviours: readonly (readonly [name: string, answer: HttpResponseResolver, code: string])[] = [
  ['503', () => new HttpResponse('busy', { status: 503, headers: { 'retry-after': '60' } }), 'SERVER_FAILED'],
  ['502 with HTML', () => HttpResponse.html('<h1>Bad gateway</h1>', { status: 502 }), 'SERVER_FAILED'],
  [
    '429 with a date',
    () =>
      new HttpResponse(null, {
        status: 429,
        headers: { 'retry-after': new Date(Date.now() + 60_000).toUTCString() },
      }),
    'RATE_LIMITED',
  ],
  ['200 with HTML', () => HttpResponse.html('<h1>Sign in to the hotel network</h1>'), 'BAD_REPLY'],
  ['200 with another body', () => HttpResponse.json({ ok: true }), 'BAD_REPLY'],
  ['204', () => new HttpResponse(null, { status: 204 }), 'BAD_REPLY'],
  ['a body that is cut', () => new HttpResponse('{"success":tr'), 'BAD_REPLY'],
  ['a connection that breaks', () => HttpResponse.error(), 'UNREACHABLE'],
  [
    'a redirect to another origin',
    () => new HttpResponse(null, { status: 307, headers: { location: 'https://evil.example/' } }),
    'REDIRECTED',
  ],
]

describe.each(misbehaviours)('C17: an agent that meets %s', (_name, answer, code) => {
  it('keeps its report until the cloud has it, and does not search again', async () => {
    cloudWith({ report: answer })
    const run = startRun()
    await run.tick()
    expect(countOf(paths.report)).toBe(1)
    expect(run.events.find(({ name }) => name === 'report:error')?.payload).toMatchObject({
      queryId: 'q',
      error: { code },
    })
    expect(await run.outbox.list()).toMatchObject([{ queryId: 'q', state: 'ready' }])

    cloudWith()
    // A new agent over the same outbox, as after a restart: it owes no pause for the failure.
    const next = startRun(run.outbox)
    await next.tick()
    expect(next.events.map(({ name }) => name)).toContain('report:end')
    expect([run.searched(), next.searched()]).toEqual([1, 0])
    expect(await run.outbox.list()).toEqual([])
  })

  it('ends its cycle at a heartbeat or list that is not answered, after one request', async () => {
    for (const broken of ['heartbeat', 'searches'] as const) {
      hits.length = 0
      cloudWith({ [broken]: answer })
      const run = startRun()
      const outcome = await run.tick()
      expect(DeviceCloudError.is(outcome) && outcome.code).toBe(code)
      expect(countOf(paths[broken])).toBe(1)
      expect(run.searched()).toBe(0)
    }
  })
})

describe('C17: an agent whose report is refused for good', () => {
  it.each([
    ['400', json(400, 'Validation error')],
    ['404', json(404, 'Search query not found')],
    ['413', json(413, 'Payload too large')],
  ])('gives it up after a %s, and says so', async (_, answer) => {
    cloudWith({ report: answer })
    const run = startRun()
    await run.tick()
    const errors = run.events.filter(({ name }) => name === 'report:error')
    expect(errors).toHaveLength(1)
    expect(errors[0]?.payload).not.toHaveProperty('retryInMs', expect.any(Number))
    expect(await run.outbox.list()).toEqual([])
    expect(countOf(paths.report)).toBe(1)
  })

  it('C16: keeps it where the key is refused, and asks for nothing else', async () => {
    cloudWith({ heartbeat: json(401, 'Invalid or missing API key') })
    const run = startRun()
    const outcome = await run.tick()
    expect(DeviceCloudError.is(outcome) && outcome.code).toBe('UNAUTHORIZED')
    expect(hits).toEqual([`POST ${paths.heartbeat}`])
  })

  it('C9: takes an outcome that was stored before for an acknowledgement', async () => {
    const stored = { success: false, queryId: 'q', status: 'failed', error: 'expired' }
    cloudWith({ report: () => HttpResponse.json(stored) })
    const run = startRun()
    await run.tick()
    expect(run.events.find(({ name }) => name === 'report:end')?.payload).toMatchObject({ status: 'failed' })
    expect(await run.outbox.list()).toEqual([])
  })
})
