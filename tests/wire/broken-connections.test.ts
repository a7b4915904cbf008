import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { createUserClient, createDeviceClient, type DeviceClient } from '@homeward/device-sdk'
import { afterEach, describe, expect, it, vi } from 'vitest'

// What only a real connection can do: resets, cuts in the middle, silence, and redirects that a fetch might follow.

const apiKey = `hw_${'topsecret'.repeat(5)}`.slice(0, 46)
const servers: Server[] = []

afterEach(async () => {
  vi.useRealTimers()
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

interface Fake {
  readonly url: string
  readonly hits: IncomingMessage[]
}

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Fake> {
  const hits: IncomingMessage[] = []
  const server = createServer((request, response) => {
    hits.push(request)
    answer(request, response)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, hits }
}

const calls: Record<string, (client: DeviceClient) => Promise<unknown>> = {
  'a heartbeat': (client) => client.sendHeartbeat({ os: 'Linux' }),
  'a poll': (client) => client.listPendingSearches({ waitSeconds: 60 }),
  'a report': (client) => client.reportSearch({ queryId: 'q', results: {} }),
  'an upload': (client) =>
    client.uploadFile({
      requestId: 'r',
      file: { fileName: 'a', size: 2_000_000, content: new Blob([new Uint8Array(2_000_000)]).stream() },
    }),
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(inspect(error, { depth: 20, showHidden: true, getters: true })).not.toContain(apiKey)
  return error
}

describe.each(Object.keys(calls))('%s over a connection that breaks', (name) => {
  it.each<[string, (request: IncomingMessage, response: ServerResponse) => void]>([
    ['is reset before an answer', (request) => request.socket.resetAndDestroy()],
    ['is closed before an answer', (request) => request.socket.destroy()],
    [
      'is reset in the middle of the answer',
      (request, response) => {
        response.writeHead(200, { 'content-length': '100' })
        response.write('{"success":', () => request.socket.resetAndDestroy())
      },
    ],
    [
      'is closed before the last chunk',
      (request, response) => {
        response.write('{"requests":[]}', () => request.socket.destroy())
      },
    ],
    ['speaks no HTTP', (request) => request.socket.end('220 mail.example ESMTP\r\n')],
  ])('is UNREACHABLE after one request: it %s', async (_, answer) => {
    const fake = await serve(answer)
    const client = createDeviceClient({ baseUrl: fake.url, apiKey })
    expect(await failureOf(calls[name]!(client))).toMatchObject({ code: 'UNREACHABLE', retryable: true })
    expect(fake.hits).toHaveLength(1)
  })

  it('gives up at its deadline on a cloud that says nothing', async () => {
    const asked = Promise.withResolvers<void>()
    const gone = Promise.withResolvers<void>()
    const fake = await serve((request, response) => {
      response.once('close', gone.resolve)
      request.resume().once('end', asked.resolve)
    })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const client = createDeviceClient({ baseUrl: fake.url, apiKey, timeoutMs: 70_000 })
    const failure = failureOf(calls[name]!(client))
    await asked.promise
    await vi.advanceTimersByTimeAsync(70_000)
    expect(await failure).toMatchObject({ code: 'TIMEOUT', retryable: true })
    await gone.promise
    expect(fake.hits).toHaveLength(1)
  })

  it.each([302, 307, 308])('reaches no other origin by a %i', async (status) => {
    const elsewhere = await serve((_request, response) => response.end('{}'))
    const fake = await serve((_request, response) => {
      response.writeHead(status, { location: `${elsewhere.url}/api/devices` }).end()
    })
    const client = createDeviceClient({ baseUrl: fake.url, apiKey })
    expect(await failureOf(calls[name]!(client))).toMatchObject({ code: 'REDIRECTED' })
    expect([fake.hits.length, elsewhere.hits.length]).toEqual([1, 0])
  })
})

it('tells the reader of a download that the file is not whole', async () => {
  const fake = await serve((request, response) => {
    response.writeHead(200, { 'content-length': '1000' })
    response.write('half of it', () => request.socket.resetAndDestroy())
  })
  const dashboard = createUserClient({ baseUrl: fake.url })
  const content = await dashboard.downloadFile({ params: { id: 'f', fileName: 'a' } })
  await expect(new Response(content).text()).rejects.toThrow(/failed|terminated|broke/)
  expect(fake.hits).toHaveLength(1)
})

it('is UNREACHABLE where nobody listens', async () => {
  const fake = await serve(() => {})
  const [server] = servers.splice(0)
  await new Promise((resolve) => server?.close(resolve))
  const client = createDeviceClient({ baseUrl: fake.url, apiKey })
  expect(await failureOf(client.sendHeartbeat({}))).toMatchObject({ code: 'UNREACHABLE', retryable: true })
})
