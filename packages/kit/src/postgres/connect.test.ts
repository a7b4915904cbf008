import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { connect } from './connect.ts'

/** A message of the server: its type and its length with itself, then what it says. */
function toMessage(type: string, ...content: readonly (string | number)[]): Buffer {
  const body = Buffer.from(
    content.map((each) => (typeof each === 'number' ? '\0'.repeat(each) : each)).join(''),
  )
  const length = Buffer.alloc(4)
  length.writeInt32BE(4 + body.length)
  return Buffer.concat([Buffer.from(type), length, body])
}

const authenticated = toMessage('R', 4)
const ready = toMessage('Z', 'I')
const ended = toMessage(
  'E',
  'SFATAL',
  1,
  'C57P01',
  1,
  'Mterminating connection due to administrator command',
  2,
)

const defaults = { schema: 's', maxConnections: 2, leastConnections: 1, applicationName: 'test' }

it('outlives a server that ends a connection in the same packet in which it is ready', async () => {
  const server = createServer((socket) => {
    socket.once('data', () => socket.end(Buffer.concat([authenticated, ready, ended])))
    socket.on('error', () => {})
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  const { pool } = await connect(
    { connectionString: `postgres://u:p@127.0.0.1:${port}/d?sslmode=disable` },
    defaults,
  )
  // an error that nobody listens for ends the process, and this file with it
  const client = await pool.connect()
  await expect(client.query('select 1')).rejects.toThrow()
  client.release(true)
  await pool.end()
  server.close()
})
