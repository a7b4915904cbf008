import { once } from 'node:events'
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** A proxy whose connections can be cut. */
interface CuttingProxy extends AsyncDisposable {
  readonly url: string
  /** Port of this machine that requests go to from now on. */
  target: number
  /** Breaks every connection, in the middle of whatever it carries. */
  cut(): void
}

/** Starts a proxy on a free port of this machine. It passes everything on but the name it is called by. */
export async function startCuttingProxy(): Promise<CuttingProxy> {
  const sockets = new Set<Socket>()
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  }

  function pass(request: IncomingMessage, response: ServerResponse): void {
    const { method, url } = request
    const headers = { ...request.headers, host: `127.0.0.1:${proxy.target}` }
    const onward = send({ port: proxy.target, host: '127.0.0.1', method, path: url, headers, agent: false })
    // A connection that breaks on one side breaks on the other: that is what this is for.
    const breakOff = () => {
      onward.destroy()
      response.destroy()
    }
    for (const end of [request, response, onward]) end.on('error', breakOff)
    response.on('close', () => onward.destroy())
    onward.on('socket', keep)
    onward.on('response', (answer) => {
      answer.on('error', breakOff)
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    request.pipe(onward)
  }

  const server = createServer(pass)
  server.on('connection', keep)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy: CuttingProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target: 0,
    cut() {
      for (const socket of sockets) socket.resetAndDestroy()
    },
    async [Symbol.asyncDispose]() {
      proxy.cut()
      server.close()
    },
  }
  return proxy
}
