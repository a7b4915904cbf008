import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { answerBrokenRequests, giveUpRequest, refuseRequest } from './broken-requests.ts'

/** How long a request under way may take once the server closes. */
const graceMs = 1000
/**
 * How long a request may take to arrive: the largest upload over a line of 32 KiB a second. Node's own five minutes would
 * cut it off each time that it is tried.
 */
const arrivesWithinMs = 3_600_000
/** A body of which nothing comes for so long is given up: its sender is gone, or wants to hold connections. */
const stalledAfterMs = 120_000
/** Connections that wait to be taken: a fleet comes all at once. One past it is dropped and tries again after seconds. */
const backlog = 4096

/** Answers who wants a WebSocket and asks for it wrongly. */
export const badRequest = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'

/** An open port. */
export interface OpenPort {
  readonly port: number
  /** `http://127.0.0.1:3000` */
  readonly url: string
  /** Passes requests on. To be set before the event loop turns. */
  onRequest(listener: RequestListener): void
  /** Passes on those who want a WebSocket at one of the paths; elsewhere such a wish is ignored, as HTTP allows. */
  onUpgrade(paths: readonly string[], listener: UpgradeListener): void
  /** Lets `stop` end what is under way, for `cutAfterMs` at most (a second by default), and closes the port. */
  close(stop: () => Promise<void>, cutAfterMs?: number): Promise<void>
}

/** Takes a connection that leaves HTTP. */
export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/** Where to listen. */
interface PortOptions {
  readonly host: string
  /** 0 takes any free one. */
  readonly port: number
  /** Environment variable that chooses the port, for the error. */
  readonly variable: string
  /** Milliseconds without a byte of a body that is under way, until it is answered 408 and its connection ended. @default 120000 */
  readonly stalledAfterMs?: number
  /**
   * Whether callers are answered that have ended their side of the connection, as simple programs do behind a request.
   * Those who are gone are told from them by the answer only, so what takes long has to end when its `signal` aborts.
   *
   * @default false
   */
  readonly answersHalfOpen?: boolean
}

/**
 * Opens a port. Nothing cuts an answer that takes long, nor an upload over a poor line; a body that stops coming ends.
 *
 * @throws {Error} that says what to do, when the port is in use or the address is not one of this machine.
 */
export async function openPort(options: PortOptions): Promise<OpenPort> {
  let socketPaths: readonly string[] = []
  // a path alone: crossws makes nothing of one with scheme and host before it, and no proxy asks for a WebSocket so
  const isForSocket = ({ url, headers }: IncomingMessage) =>
    socketPaths.includes(withoutSlash(url?.split('?')[0] ?? '')) &&
    headers.upgrade?.toLowerCase() === 'websocket'
  // a missing Host is refused with words, below
  const server = createServer({ shouldUpgradeCallback: isForSocket, requireHostHeader: false })
  // Above a device's poll interval, so that a fleet keeps its connections.
  server.keepAliveTimeout = 75_000
  server.requestTimeout = arrivesWithinMs
  // Node's types do not know it. Without it, a caller that ends its side behind the request hears no answer.
  Object.assign(server, { httpAllowHalfOpen: options.answersHalfOpen ?? false })
  answerBrokenRequests(server)
  const port = await listen(server, options)
  return {
    port,
    url: toUrl(options.host, port),
    onRequest(listener) {
      const serve: RequestListener = (request, response) => {
        endStalledBody(request, response, options.stalledAfterMs ?? stalledAfterMs)
        if (hasOneHost(request)) listener(request, response)
        else
          refuseRequest(
            response,
            'The request must have exactly one Host header. Send the address of the server in it.',
          )
      }
      server.on('request', takeTurns(serve))
    },
    onUpgrade(paths, listener) {
      socketPaths = paths
      server.on('upgrade', (request, socket, head) => {
        if (hasOneHost(request)) listener(request, socket, head)
        else socket.end(badRequest)
      })
    },
    async close(stop, cutAfterMs = graceMs) {
      const closed = new Promise((resolve) => server.close(resolve))
      const cut = setTimeout(() => server.closeAllConnections(), cutAfterMs)
      await stop()
      server.closeIdleConnections()
      await closed
      clearTimeout(cut)
    },
  }
}

/** Node takes the first of several. Who stands before it may have taken another one (RFC 9112, section 3.2). */
function hasOneHost({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0
  for (let place = 0; place < rawHeaders.length; place += 2) {
    if (rawHeaders[place]?.length === 4 && rawHeaders[place]?.toLowerCase() === 'host') hosts += 1
  }
  return hosts === 1
}

/** The path that a request asks for. HTTP allows scheme and host before it: proxies are asked so. */
export function pathOf({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '')
  const query = target.indexOf('?')
  const path = query < 0 ? target : target.slice(0, query)
  return path === '' ? '/' : path
}

/** A path without the slash at its end, which names the same. */
export const withoutSlash = (path: string): string => (path.length > 1 ? path.replace(/\/$/, '') : path)

/**
 * Only while a body is under way: what waits for its answer may be as silent as it likes. Most bodies come along with their
 * head, and are there before the event loop turns: no time is taken of those.
 */
function endStalledBody(request: IncomingMessage, response: ServerResponse, afterMs: number): void {
  const { headers } = request
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return
  setImmediate(() => {
    if (!request.complete && !response.writableFinished) watchBody(request, response, afterMs)
  })
}

function watchBody(request: IncomingMessage, response: ServerResponse, afterMs: number): void {
  const { socket } = request
  socket.setTimeout(afterMs)
  // of the request: where that does not listen, Node itself destroys the socket before others hear of it
  request.once('timeout', () => giveUpRequest(response))
  request.once('end', () => {
    // Behind the answer the limit is Node's, for connections that are kept open.
    if (!response.writableFinished) socket.setTimeout(0)
  })
}

/** An address that a client on this machine can open. */
function toUrl(host: string, port: number): string {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`
  if (host === '::') return `http://[::1]:${port}`
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

async function listen(server: Server, { host, port, variable }: PortOptions): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = reasons[error.code ?? '']?.({ host, port, variable })
      reject(
        reason === undefined ? error : new Error(`Starting the server failed: ${reason}`, { cause: error }),
      )
    })
    server.listen({ port, host, backlog }, resolve)
  })
  return (server.address() as AddressInfo).port // a server on a port has one
}

const notHere = ({ host }: PortOptions) =>
  `HOST "${host}" is not an address of this machine. Use 127.0.0.1, or an address of this machine.`
const reasons: Readonly<Record<string, (options: PortOptions) => string>> = {
  EADDRINUSE: ({ port, variable }) => `port ${port} is in use. Set ${variable} to another port.`,
  EACCES: ({ port, variable }) => `port ${port} needs root rights. Set ${variable} to a port above 1023.`,
  EADDRNOTAVAIL: notHere,
  ENOTFOUND: notHere,
}

/** Requests of one connection that may wait for their turn; it ends with one more. */
const maxWaiting = 100

interface Turns {
  /** The answer behind which the next one comes; undefined when none is awaited. */
  last: ServerResponse | undefined
  waiting: number
}

/**
 * Has the requests of a connection served one after the other. They may be sent without waiting for their answers, and Node
 * would begin all of them at once: for a client that reads none, thousands of large answers would wait in memory.
 *
 * Every request of every device comes by here: what is kept of a connection is made once, and a listener is not wrapped.
 */
function takeTurns(serve: RequestListener): RequestListener {
  const connections = new WeakMap<Socket, Turns>()
  return (request, response) => {
    const { socket } = request
    let turns = connections.get(socket)
    if (turns === undefined) {
      turns = { last: undefined, waiting: 0 }
      connections.set(socket, turns)
    }
    const { last } = turns
    if (last !== undefined && turns.waiting === maxWaiting) {
      socket.destroy()
      return
    }
    turns.last = response
    response.on('close', forgetLast)
    if (last === undefined) serve(request, response)
    else waitBehind(last, turns, () => serve(request, response))
  }

  function forgetLast(this: ServerResponse): void {
    const turns = connections.get(this.req.socket)
    if (turns?.last === this) turns.last = undefined
  }
}

function waitBehind(last: ServerResponse, turns: Turns, begin: () => void): void {
  turns.waiting += 1
  last.once('close', () => {
    turns.waiting -= 1
    if (!last.req.socket.destroyed) begin()
  })
}
