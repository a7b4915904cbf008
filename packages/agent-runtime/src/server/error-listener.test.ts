import { afterEach, expect, it, vi } from 'vitest'
import { createRuntime, type AgentRuntime } from '../index.ts'
import { createAgentPlatformHandler } from './index.ts'

let runtime: AgentRuntime
afterEach(() => runtime.close())

/** A request whose body something before the handler has read, as express.json() does. */
async function sendRead(onError?: (error: unknown) => void) {
  const error = vi.fn<(message: string, details?: object) => void>()
  runtime = createRuntime({ logger: { warn() {}, error } })
  const handler = createAgentPlatformHandler({ runtime, auth: { kind: 'none' }, ...(onError && { onError }) })
  const body = JSON.stringify({ id: 'writer', model: 'test/echo' })
  const headers = { 'content-type': 'application/json' }
  const request = new Request('http://127.0.0.1:3010/api/agents', { method: 'POST', headers, body })
  await request.text()
  const { status } = await handler.fetch(request, { remoteAddress: '127.0.0.1' })
  return { status, error }
}

it('says why an answer is 500 to the logger of the runtime', async () => {
  const { status, error } = await sendRead()
  expect(status).toBe(500)
  expect(error).toHaveBeenCalledExactlyOnceWith('Handling a request failed', {
    error: expect.stringContaining('Mount the handler before body parsers'),
  })
})

it('says it to the host alone when that asks to be told', async () => {
  const onError = vi.fn<(error: unknown) => void>()
  const { error } = await sendRead(onError)
  expect(onError).toHaveBeenCalledOnce()
  expect(error).not.toHaveBeenCalled()
})
