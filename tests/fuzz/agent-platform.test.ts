import { createRuntime } from '@homeward/agent-runtime'
import { createAgentPlatformDocument, createAgentPlatformHandler } from '@homeward/agent-runtime/server'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createAnswerCheck } from './answer-check.ts'
import { drawRequest, type DrawnDocument } from './draw-request.ts'

const numRuns = Number(process.env['FUZZ_RUNS'] ?? 400)

it(
  'answers every request to the agent platform as its document says, never with 500',
  { timeout: 600_000 },
  async () => {
    const document = JSON.parse(JSON.stringify(await createAgentPlatformDocument())) as DrawnDocument
    const check = createAnswerCheck(document)
    await using runtime = createRuntime({ environment: {} })
    const errors: unknown[] = []
    const platform = createAgentPlatformHandler({
      runtime,
      auth: { kind: 'none' },
      onError: (error) => errors.push(error),
    })
    await runtime.agents.create({ id: 'parrot', model: 'test/echo' })
    const requests = drawRequest(document, ['parrot', 'unknown', 'test/echo'], [''])
    let succeeded = 0
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        fc.pre(!(request.method === 'DELETE' && request.path.includes('parrot')))
        const { method, headers, body = null, path } = request
        const caller = new AbortController()
        const response = await platform.fetch(
          new Request(`http://127.0.0.1:3010${path}`, { method, headers, body, signal: caller.signal }),
          { remoteAddress: '127.0.0.1' },
        )
        if (response.ok) succeeded += 1
        if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
          // a stream goes on for as long as somebody listens
          await response.body?.cancel()
          return caller.abort()
        }
        expect(await check(request, response), `${method} ${path} ${String(body)}`).toBeUndefined()
      }),
      { numRuns },
    )
    expect(errors).toEqual([])
    expect(succeeded).toBeGreaterThan(numRuns / 20)
  },
)
