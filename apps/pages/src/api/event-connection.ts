import { EventSocketFrame, type JournalEvent } from '@homeward/contract/agent-platform'
import * as z from 'zod/mini'

/** What the page is told about its connection to `/api/events`. */
interface EventListener {
  onEvent(event: JournalEvent): void
  /** Events may be missing: what shows has to be read anew. */
  onGap(): void
  onOpen(): void
  /** The connection ended, or did not come about; it is tried again. */
  onLost(): void
}

/** What {@link openEventConnection} is built from. */
interface EventConnectionOptions extends EventListener {
  /** `ws://…/api/events` */
  readonly url: string
  /** The access token of now, if there is one. */
  readonly readToken: () => string | undefined
}

const shortestDelayMs = 500
const longestDelayMs = 15_000

/**
 * Holds one WebSocket to `/api/events` and connects again when it ends, going on behind the last event it got. A token
 * goes along as a subprotocol (A14): a browser cannot set headers here, and a URL would stand in logs.
 *
 * @returns closes it for good.
 */
export function openEventConnection(options: EventConnectionOptions): () => void {
  let socket: WebSocket | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let last: number | undefined
  let failures = 0
  let isOver = false

  function connect(): void {
    const own = new WebSocket(options.url, protocolsFor(options.readToken()))
    socket = own
    own.addEventListener('open', () => {
      failures = 0
      subscribe(own)
      options.onOpen()
    })
    own.addEventListener('message', ({ data }) => receive(own, data))
    own.addEventListener('close', () => {
      if (isOver) return
      options.onLost()
      timer = setTimeout(connect, delayAfter(failures))
      failures += 1
    })
  }

  /** The answer says where the stream begins: what happens while the connection is lost comes later, also the very first. */
  function subscribe(own: WebSocket): void {
    own.send(JSON.stringify({ type: 'subscribe', id: 'page', ...(last !== undefined && { since: last }) }))
  }

  function receive(own: WebSocket, data: unknown): void {
    const frame = parseFrame(data)
    if (frame === undefined) return
    if ('seq' in frame) {
      last = frame.seq
      return options.onEvent(frame)
    }
    if (frame.type === 'subscribed' && 'since' in frame) last ??= frame.since
    if (frame.type !== 'error' || !('code' in frame) || frame.code !== 'conflict') return
    // The journal is another one now: it begins before the last event that this page has seen.
    last = undefined
    subscribe(own)
    options.onGap()
  }

  connect()
  return () => {
    isOver = true
    clearTimeout(timer)
    socket?.close()
  }
}

function parseFrame(data: unknown): EventSocketFrame | undefined {
  if (typeof data !== 'string') return undefined
  try {
    const parsed = z.safeParse(EventSocketFrame, JSON.parse(data))
    return parsed.success ? parsed.data : undefined
  } catch {
    return undefined
  }
}

/** @returns no subprotocol without a token. */
function protocolsFor(token: string | undefined): string[] {
  return token === undefined ? [] : ['homeward', `homeward.token.${toSubprotocol(token)}`]
}

/** Percent-encodes also what URLs allow and names of subprotocols do not. */
function toSubprotocol(token: string): string {
  return encodeURIComponent(token).replaceAll(/[()]/g, (each) => (each === '(' ? '%28' : '%29'))
}

/** Pages of one server do not all come back at the same moment. */
function delayAfter(failures: number): number {
  const delayMs = Math.min(shortestDelayMs * 2 ** failures, longestDelayMs)
  return delayMs * (0.75 + Math.random() / 2)
}
