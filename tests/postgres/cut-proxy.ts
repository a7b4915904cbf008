import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connect, createServer } from 'node:net'

/** Something between a client and a server that can be cut. */
interface CutProxy {
  readonly connectionString: string
  /** Breaks every connection, and refuses new ones. */
  cut(): void
  mend(): void
  /** Connections that were refused since it was cut. */
  refused(): number
  /** Breaks the next connection that sends this, once the server has got it. */
  cutBehind(text: string): void
  close(): Promise<void>
}

/** Passes connections on to a server. */
export async function createCutProxy(connectionString: string): Promise<CutProxy> {
  const target = new URL(connectionString)
  const sockets = new Set<Socket>()
  let isCut = false
  let refused = 0
  let last: string | undefined
  const server = createServer((near) => {
    if (isCut) {
      refused += 1
      near.destroy()
      return
    }
    const far = connect(Number(target.port), target.hostname)
    near.on('data', (chunk: Buffer) => {
      if (last === undefined || !chunk.includes(last)) return
      last = undefined
      // What it answers never arrives.
      far.unpipe(near)
      far.once('data', () => near.destroy()).resume()
    })
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.pipe(other)
      one
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(one)
          other.destroy()
        })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('Listening failed.')
  const url = new URL(connectionString)
  url.port = String(address.port)
  const breakAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    connectionString: url.href,
    cut: () => {
      isCut = true
      refused = 0
      breakAll()
    },
    mend: () => {
      isCut = false
    },
    refused: () => refused,
    cutBehind: (text) => {
      last = text
    },
    close: async () => {
      server.close()
      breakAll()
    },
  }
}
