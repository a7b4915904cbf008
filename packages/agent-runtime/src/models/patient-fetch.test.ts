import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { patientFetch } from './create-models.ts'

const key = Symbol.for('undici.globalDispatcher.2')
afterEach(() => vi.unstubAllGlobals())

/** A server that answers at once, so that no test waits. */
async function serve() {
  const server = createServer((_, response) => response.end('ok'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // a TCP server's address is one
  return Object.assign(server, {
    url: `http://127.0.0.1:${port}/`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  })
}

it('sends without limits on time, through what the process sends with', async () => {
  await using server = await serve()
  void new Response()
  const own = Reflect.get(globalThis, key) ?? Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1'))
  const dispatch = vi.spyOn(own as { dispatch(options: object, handler: object): boolean }, 'dispatch')
  const answer = await patientFetch(server.url, {
    method: 'POST',
    body: 'x',
    headers: { connection: 'close' },
  })
  expect(await answer.text()).toBe('ok')
  expect(dispatch.mock.calls[0]?.[0]).toMatchObject({ headersTimeout: 0, bodyTimeout: 0, method: 'POST' })
  dispatch.mockRestore()
})

it('is the global fetch where that sends by other means', async () => {
  const fetch = vi.fn(async () => new Response('ok'))
  vi.stubGlobal('fetch', fetch)
  expect(await (await patientFetch('http://127.0.0.1/')).text()).toBe('ok')
  expect(fetch).toHaveBeenCalledOnce()
})

it('ends with its signal', async () => {
  await using server = await serve()
  const reason = new Error('enough')
  await expect(patientFetch(server.url, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
})
