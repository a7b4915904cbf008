import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type {
  AcceptedUpgrade,
  EventSocket,
  EventSockets,
  EventTransport,
} from '@homeward/agent-runtime/server'
import type { Peer } from 'crossws'
import nodeAdapter from 'crossws/adapters/node'
import { badRequest } from '../http/open-port.ts'

/** Largest message of a client: what is larger is not even read. */
const maxPayload = 16_384
/** Pings within ten seconds above which a connection is cut: each is answered, also to a client that reads no answer. */
const maxPings = 50
const pingWindowMs = 10_000
/** How long a client has to read why its connection ends: one that is dropped as too slow has much to read before that. */
const endWithinMs = 5000
/** The same once the server closes, which waits for it. */
const endAtCloseWithinMs = 500

/** Carries the WebSocket `/api/events` over `node:http`. */
interface EventServer {
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Tells every client that the server closes; those that do not answer are cut soon after. */
  close(): void
}

/** Header with the address of the client, between this module and itself. */
const addressHeader = 'x-homeward-address'

/** Joins the sockets of the runtime, which know no WebSocket library, to crossws. */
export function createEventServer(events: EventSockets): EventServer {
  const sockets = new WeakMap<Peer, EventSocket>()
  /** Those that were told to end and have not yet. */
  const ending = new Set<Peer>()
  const pings = new WeakMap<Peer, { count: number; readonly startedAt: number }>()
  let isClosing = false

  function cut(peer: Peer): void {
    setTimeout(() => peer.terminate(), isClosing ? endAtCloseWithinMs : endWithinMs).unref()
  }

  function notePing(peer: Peer): void {
    const known = pings.get(peer)
    const isRecent = known !== undefined && Date.now() - known.startedAt < pingWindowMs
    const noted = isRecent ? known : { count: 0, startedAt: Date.now() }
    pings.set(peer, noted)
    noted.count += 1
    if (noted.count <= maxPings) return
    sockets.get(peer)?.end(1008, `More than ${maxPings} pings within ten seconds`)
    peer.terminate() // at once: each one more would be answered too
  }

  const adapter = nodeAdapter({
    serverOptions: { maxPayload },
    hooks: {
      async upgrade(request) {
        const { url, headers } = request
        const remoteAddress = headers.get(addressHeader) ?? undefined
        const answer = await events.checkUpgrade({ url, headers, remoteAddress })
        if (!answer.isAccepted) return answer.response
        const { protocol, mayContinue } = answer
        return { context: { mayContinue }, ...(protocol !== undefined && { protocol }) }
      },
      open(peer) {
        const transport: EventTransport = {
          send: (text) => void peer.send(text),
          close(code, reason) {
            peer.close(code, reason)
            ending.add(peer)
            cut(peer)
          },
          bufferedBytes: () => peer.bufferedAmount,
          ping: () => peer.ping(),
        }
        const accepted = peer.context as Partial<AcceptedUpgrade> // as the hook above gave it
        const socket = events.open(transport, {
          mayContinue: async () => (await accepted.mayContinue?.()) ?? false,
        })
        sockets.set(peer, socket)
      },
      ping: notePing,
      message: (peer, message) => sockets.get(peer)?.receive(message.rawData),
      drain: (peer) => sockets.get(peer)?.drained(),
      close(peer) {
        ending.delete(peer)
        sockets.get(peer)?.closed()
      },
    },
  })

  return {
    handleUpgrade(request, socket, head) {
      socket.on('error', () => socket.destroy()) // a client that is gone while it is checked harms nobody
      // no name of any server, and crossws would take it for a failure of this one
      // crossws passes on headers alone; what a client sent under this name is replaced
      request.headers[addressHeader] = request.socket.remoteAddress
      if (!URL.canParse(`http://${request.headers.host}`)) socket.end(badRequest)
      else void adapter.handleUpgrade(request, socket, head)
    },
    close() {
      isClosing = true
      for (const peer of ending) cut(peer)
      events.close()
      void adapter.close()
    },
  }
}
