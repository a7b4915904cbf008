import { createRuntime, RuntimeError } from '@homeward/agent-runtime'
import { createAgentPlatformDocument, createAgentPlatformHandler } from '@homeward/agent-runtime/server'
import * as fc from 'fast-check'
import { afterEach, expect, it, vi } from 'vitest'
import type { JsonObject } from '../wire/raw-client.ts'
import { createAgentPlatformLedger } from './agent-platform-ledger.ts'
import { createAnswerCheck } from './answer-check.ts'
import { drawRequest, type DrawnDocument } from './draw-request.ts'

/** Somebody else failed: a store of skills, a platform of messages, a provider of models. */
const upstream = ['store_unavailable', 'channel_error', 'model_error']
const isUpstream = (error: unknown) => RuntimeError.is(error) && upstream.includes(error.code)

afterEach(() => void vi.unstubAllGlobals())

const numRuns = Number(process.env['FUZZ_RUNS'] ?? 2000)

it(
  'answers every request to the agent platform as its document says, never with 500, and keeps what it took',
  { timeout: 3_600_000 },
  async () => {
    const document = JSON.parse(JSON.stringify(await createAgentPlatformDocument())) as DrawnDocument
    const check = createAnswerCheck(document)
    // Settings are drawn too: nothing may be sent to whoever they name.
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed')))
    await using runtime = createRuntime({ environment: {} })
    const errors: unknown[] = []
    const platform = createAgentPlatformHandler({
      runtime,
      auth: { kind: 'none' },
      onError: (error) => errors.push(error),
    })
    const send = (path: string, init: RequestInit) =>
      platform.fetch(new Request(`http://127.0.0.1:3010${path}`, init), { remoteAddress: '127.0.0.1' })
    const ledger = createAgentPlatformLedger()
    await runtime.agents.create({ id: 'parrot', model: 'test/echo' })
    ledger.note(
      { method: 'PUT', template: '/api/agents/{id}', path: '/api/agents/parrot', headers: {}, body: '{}' },
      (await (await send('/api/agents/parrot', { method: 'GET' })).json()) as JsonObject,
    )
    const requests = drawRequest(document, {
      knownNames: ledger.names,
      authorizationOf: () => '',
      strangers: [''],
    })
    await fc.assert(
      fc.asyncProperty(requests, async (draft) => {
        const request = draft(ledger.known)
        const { method, headers, body = null, path } = request
        // Agents in another folder are other agents.
        fc.pre(!(path.startsWith('/api/settings') && String(body).includes('agents_dir')))
        const caller = new AbortController()
        const response = await send(path, { method, headers, body, signal: caller.signal })
        if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
          // a stream goes on for as long as somebody listens
          await response.body?.cancel()
          return caller.abort()
        }
        const copy = response.clone()
        expect(await check(request, response), `${method} ${path} ${String(body)}`).toBeUndefined()
        if (!copy.ok || !copy.headers.get('content-type')?.includes('json')) return
        ledger.note(request, (await copy.json()) as JsonObject)
      }),
      { numRuns },
    )
    expect(errors.filter((error) => !isUpstream(error))).toEqual([])
    const counts = Object.values(ledger.counts)
    expect(counts.filter((count) => count > 0).length).toBeGreaterThanOrEqual(5)
    expect(counts.reduce((sum, count) => sum + count)).toBeGreaterThan(numRuns / 30)
    await ledger.expectKept(async (method, path) => {
      const response = await send(path, { method })
      return { status: response.status, json: (await response.json()) as JsonObject }
    })
  },
)
