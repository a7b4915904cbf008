import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { toNode } from './node-handler.ts'

const text = JSON.stringify({ error: 'Payload too large' })
const size = 16_000_000

/** Sends a whole body before it looks at the answer, as many programs do, to a server that answers at once. */
async function send(connection: string, sentBytes = size): Promise<{ answer: string; failure?: unknown }> {
  const handle = toNode(async () => ({ status: 413, headers: {}, body: text }))
  const server = createServer((request, response) => void handle(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  let answer = ''
  let failure: unknown
  socket.setEncoding('utf8')
  socket.on('error', (error) => (failure = error))
  socket.on('data', (part) => (answer += part))
  socket.write(`POST /x HTTP/1.1\r\nhost: a\r\nconnection: ${connection}\r\ncontent-length: ${size}\r\n\r\n`)
  await once(socket, 'data')
  for (let sent = 0; sent < sentBytes && failure === undefined; sent += 64_000) {
    if (!socket.write(Buffer.alloc(64_000)))
      await Promise.race([once(socket, 'drain'), once(socket, 'close')])
  }
  if (connection === 'keep-alive' || sentBytes < size) socket.destroy()
  if (!socket.closed) await once(socket, 'close')
  const closed = once(server, 'close')
  server.close()
  await closed
  return { answer, ...(failure !== undefined && { failure }) }
}

it.each(['close', 'keep-alive'])(
  'D6: a body that is answered before it has come can be sent to its end: connection %s',
  async (connection) => {
    const { answer, failure } = await send(connection)
    expect(failure).toBeUndefined()
    expect(answer).toMatch(/^HTTP\/1.1 413 /)
    expect(answer.split('\r\n\r\n')[1]).toBe(text)
  },
)

it('D6: a caller that goes away amid its body is let go', async () => {
  expect(await send('close', size / 2)).toMatchObject({ answer: expect.stringContaining(text) })
})
