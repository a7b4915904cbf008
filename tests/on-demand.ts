import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { text } from 'node:stream/consumers'

/** What is made once for all test files, when the first of them asks for it. */
interface OnDemand {
  /** Answers every connection with a line, such as the address of what was made. */
  readonly port: number
  close(): void
}

/** Makes it once: those who run other tests do not wait for it. */
export async function makeOnDemand(make: () => Promise<string>): Promise<OnDemand> {
  let making: Promise<string> | undefined
  const server = createServer((socket) => {
    making ??= make()
    socket.on('error', () => {})
    void making.then((line) => socket.end(line))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string')
    throw new Error('Listening for test files failed: no port.')
  return { port: address.port, close: () => void server.close() }
}

/** Asks for it, from a test file. */
export const askFor = (port: number): Promise<string> => text(connect(port, '127.0.0.1'))
