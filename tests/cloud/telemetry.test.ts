import { inspect } from 'node:util'
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base'
import { createMemoryStore } from '@homeward/cloud-core/memory'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createTestCloud, type TestCloud } from './test-cloud.ts'

const beat = { metadata: { os: 'a private machine', version: '6.1', hardware: 'x86' } }

interface Traced {
  readonly test: TestCloud
  /** Spans since the last call. */
  spans(): ReadableSpan[]
}

async function traced(options: Parameters<typeof createTestCloud>[1] = {}): Promise<Traced> {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const test = await createTestCloud('memory', { tracer: provider.getTracer('test'), ...options })
  return {
    test,
    spans() {
      const spans = exporter.getFinishedSpans()
      exporter.reset()
      return spans
    },
  }
}

describe('spans', () => {
  it('is named after the route and carries the attributes of the HTTP conventions', async () => {
    const { test, spans } = await traced()
    await using _ = test
    const { id } = await test.register()
    spans()
    const answer = await test.send('POST', `/api/devices/${id}/rotate-key`)
    const [span] = spans()
    expect(span).toMatchObject({
      name: 'POST /api/devices/{id}/rotate-key',
      kind: SpanKind.SERVER,
      ended: true,
      status: { code: SpanStatusCode.UNSET },
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/api/devices/{id}/rotate-key',
        'http.response.status_code': 200,
        'homeward.operation': 'rotateDeviceKey',
        'homeward.request_id': answer.headers.get('x-request-id'),
      },
    })
  })

  it('holds no key, no body and nothing of a URL that a caller chose', async () => {
    const { test, spans } = await traced()
    await using _ = test
    const { id, apiKey, headers } = await test.register('a private name')
    await test.send('POST', '/api/devices/heartbeat', { body: beat, headers })
    await test.send('GET', '/api/devices?cursor=a-private-cursor')
    const rotated = await test.send('POST', `/api/devices/${id}/rotate-key`)
    const seen = inspect(
      spans().map(({ name, attributes, events, status, links }) => ({
        name,
        attributes,
        events,
        status,
        links,
      })),
      { depth: 10 },
    )
    for (const secret of [apiKey, rotated.body.apiKey!, 'private', id]) expect(seen).not.toContain(secret)
  })

  it("takes a caller's mistake for no error", async () => {
    const { test, spans } = await traced()
    await using _ = test
    await test.send('POST', '/api/devices/heartbeat', { body: beat })
    expect(spans()).toMatchObject([
      { status: { code: SpanStatusCode.UNSET }, attributes: { 'http.response.status_code': 401 } },
    ])
  })

  it('records that the server failed, but not what the failure said', async () => {
    const store = createMemoryStore()
    const { test, spans } = await traced({
      store: {
        ...store,
        listDevices: () => Promise.reject(new RangeError('a private thing: hw_secret')),
      },
    })
    await using _ = test
    expect((await test.send('GET', '/api/devices')).body).toEqual({ error: 'Failed to process request' })
    const failed = spans()
    expect(failed).toMatchObject([
      {
        status: { code: SpanStatusCode.ERROR, message: 'RangeError' },
        attributes: { 'http.response.status_code': 500, 'error.type': 'RangeError' },
      },
    ])
    expect(inspect(failed[0]?.events)).not.toContain('private')
    expect(test.errors).toMatchObject([{ message: 'a private thing: hw_secret' }])
  })

  it('covers a held poll from its start to its end, once', async () => {
    const { test, spans } = await traced()
    await using _ = test
    const { headers } = await test.register()
    spans()
    const held = test.send('GET', '/api/devices/search/pending', {
      headers: { ...headers, prefer: 'wait=9' },
    })
    expect(spans()).toEqual([])
    await test.cloud.close()
    await held
    expect(spans().map((span) => span.name)).toEqual(['GET /api/devices/search/pending'])
  })
})

describe('spans of a host that names no tracer', () => {
  afterEach(() => {
    trace.disable()
    vi.doUnmock('@opentelemetry/api')
    vi.resetModules()
  })

  it('go to the provider that the host registered, whether before or after the cloud was made', async () => {
    const exporter = new InMemorySpanExporter()
    await using test = await createTestCloud('memory')
    await import('@opentelemetry/api')
    await test.send('GET', '/api/devices')
    trace.setGlobalTracerProvider(
      new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
    )
    await test.send('GET', '/api/devices/search/query')
    expect(exporter.getFinishedSpans().map((span) => span.name)).toEqual(['GET /api/devices/search/query'])
  })

  it('do without the package', async () => {
    vi.doMock('@opentelemetry/api', () => {
      throw new Error('Cannot find package @opentelemetry/api')
    })
    vi.resetModules()
    const fresh = await import('./test-cloud.ts')
    await using test = await fresh.createTestCloud('memory')
    await import('@opentelemetry/api').catch(() => {})
    expect((await test.send('GET', '/api/devices')).status).toBe(200)
    expect(test.errors).toEqual([])
  })
})
