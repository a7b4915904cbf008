import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { NodeRequestView } from './node-view.ts'

type Answer = (view: NodeRequestView, request: IncomingMessage, response: ServerResponse) => Promise<unknown>

/** Runs `use` against a server that answers with what `answer` gives. */
async function withServer(answer: Answer, use: (port: number) => Promise<void>): Promise<void> {
  const server = createServer((request, response) => {
    void answer(new NodeRequestView(request, response), request, response).then(
      (found) => response.end(JSON.stringify(found)),
      () => response.destroy(),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    await use((server.address() as AddressInfo).port)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const sizeOf = async (view: NodeRequestView, maxBytes: number) => {
  const bytes = await view.readBody(maxBytes)
  return bytes ? bytes.length : 'over'
}

const post = async (port: number, body: BodyInit) => {
  const response = await fetch(`http://127.0.0.1:${port}/x?y=1`, { method: 'POST', body })
  return response.json()
}

it('reads a body up to the limit, and says when there is more', () =>
  withServer(
    (view) => sizeOf(view, 100_000),
    async (port) => {
      expect(await post(port, 'x'.repeat(100_000))).toBe(100_000)
      expect(await post(port, 'x'.repeat(100_001))).toBe('over')
      expect(await post(port, 'x'.repeat(5_000_000))).toBe('over')
      expect(await post(port, '')).toBe(0)
    },
  ))

it('does not wait for a body that something before it has read', () =>
  withServer(
    async (view, request) => {
      request.resume()
      await once(request, 'end')
      return sizeOf(view, 10)
    },
    async (port) => expect(await post(port, 'abc')).toBe(0),
  ))

it('gives up on a body that is cut', async () => {
  const { promise: failure, resolve } = Promise.withResolvers<unknown>()
  await withServer(
    (view) => view.readBody(1000).catch(resolve),
    async (port) => {
      const socket = connect(port, '127.0.0.1')
      socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf', () => socket.destroy())
      expect(String(await failure)).toMatch(/aborted/)
    },
  )
})

it('D6: discards what nobody reads of a body, so that its caller can send it and go on', () =>
  withServer(
    async (view) => {
      for await (const chunk of view.body()) return chunk.length
      return 0
    },
    async (port) => {
      const socket = connect(port, '127.0.0.1')
      const answers = once(socket, 'data')
      const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000\r\n\r\n'
      const sent = new Promise((resolve) => socket.write(head + 'x'.repeat(5_000_000), resolve))
      await Promise.all([answers, sent])
      socket.destroy()
    },
  ))

it.each([
  ['/x?y=1', '/x', 'y=1'],
  ['http://x/x?y=1', '/x', 'y=1'],
  ['HTTPS://elsewhere:1/a%20b', '/a%20b', ''],
  ['http://x', '/', ''],
  ['http://[', 'http://[', ''],
  ['*', '*', ''],
])('finds path and query of the target %s', (target, path, search) =>
  withServer(
    async (view) => [view.path, view.search],
    async (port) => {
      const socket = connect(port, '127.0.0.1')
      socket.write(
        `${target === '*' ? 'OPTIONS' : 'GET'} ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      )
      const answer = await text(socket)
      expect(answer.split('\r\n\r\n')[1]).toContain(JSON.stringify([path, search]))
    },
  ),
)

it.each([
  [{}, 'http://cloud.example'],
  [{ encrypted: false }, 'http://cloud.example'], // what every socket without TLS says on Bun
  [{ encrypted: true }, 'https://cloud.example'],
])('tells by the socket %j whether it was called over TLS', (socket, origin) => {
  const request = { url: '/', headers: { host: 'cloud.example' }, socket } as unknown as IncomingMessage
  expect(new NodeRequestView(request, {} as ServerResponse).origin).toBe(origin)
})
