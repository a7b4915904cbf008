import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { createDeviceClient } from '../index.ts'

afterEach(() => void vi.useRealTimers())

it('gives up on a slow body at its deadline, and closes the connection', async () => {
  const closed = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    response.on('close', closed.resolve)
    response.write('{"success":', () => begun.resolve())
    request.resume()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { port } = server.address() as AddressInfo
  const client = createDeviceClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'hw_x' })
  const pending = expect(client.sendHeartbeat({})).rejects.toMatchObject({ code: 'TIMEOUT', retryable: true })
  await begun.promise
  await vi.advanceTimersByTimeAsync(90_000)
  await pending
  await closed.promise
  server.close()
})
