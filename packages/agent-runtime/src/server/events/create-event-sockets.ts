import type { JournalEvent } from '@homeward/contract/agent-platform'
import { HttpError, type RequestView } from '@homeward/contract/handler'
import {
  aFunction,
  anything,
  createClientAddress,
  integerFrom,
  texts,
  timerFrom,
  watchAccess,
} from '@homeward/kit'
import { checkOptions } from '../../host-input/check-options.ts'
import type { AgentRuntime } from '../../runtime/runtime.ts'
import { aRuntime, type PlatformAuth } from '../access/platform-auth.ts'
import { toErrorListener } from '../platform-errors.ts'
import { createEventSocket, type EventSocket } from './event-socket.ts'
import type { EventSocketLimits, EventTransport } from './event-transport.ts'
import { createUpgradeCheck, type AcceptedUpgrade, type UpgradeRequest } from './event-upgrade.ts'
import { loopbackGuard } from '../access/platform-auth.ts'
import { toErrorBody, toHttpError } from '../platform-errors.ts'

/** Options of {@link createEventSockets}. */
export interface EventSocketsOptions extends EventSocketLimits {
  /** Runtime whose events are sent. */
  readonly runtime: AgentRuntime
  /** Access rule for clients. Pass the same value as for the HTTP API. */
  readonly auth: PlatformAuth
  /**
   * Rejects upgrades before any other check by throwing `HttpError`. Pass the same value as for the HTTP API.
   *
   * @default only loopback names as `Host`, and only the server's own pages as `Origin`
   */
  readonly guard?: (request: RequestView) => void
  /**
   * Addresses of proxies whose `X-Forwarded-For` is trusted. Pass the same value as for the HTTP API.
   *
   * @default no proxies
   */
  readonly trustedProxies?: readonly string[]
  /** Maximum number of connections at the same time. Others are rejected with 503. @default 100 */
  readonly maxSockets?: number
  /** Receives failures that the client did not cause. Never receives keys. @default the runtime's logger */
  readonly onError?: (error: unknown) => void
  /** Returns the milliseconds since the epoch. @default Date.now */
  readonly now?: () => number
  /** Creates request ids. @default crypto.randomUUID */
  readonly createRequestId?: () => string
}

/** Result of the check: the accepted upgrade with its subprotocol, or the error response. */
export type UpgradeResponse =
  | ({ readonly isAccepted: true } & AcceptedUpgrade)
  | { readonly isAccepted: false; readonly response: Response }

/** The clients of `/api/events`. */
export interface EventSockets {
  /** Number of open connections. */
  readonly size: number
  /** Checks an upgrade request. Call it before the upgrade. Never rejects. */
  checkUpgrade(request: UpgradeRequest): Promise<UpgradeResponse>
  /**
   * Registers a connected client. Your app passes on the messages that arrive.
   *
   * @param accepted result of `checkUpgrade`: the connection ends within 35 seconds after its access token is deleted
   * or expires. @default no check
   */
  open(transport: EventTransport, accepted?: Pick<AcceptedUpgrade, 'mayContinue'>): EventSocket
  /** Closes all connections with code 1001, and rejects new clients. */
  close(): void
}

/**
 * Creates the WebSocket `/api/events` of the agent platform for any WebSocket library: checks who may connect, and
 * sends the events.
 *
 * @example
 * ```ts
 * import { createRuntime } from '@homeward/agent-runtime'
 * import { createEventSockets } from '@homeward/agent-runtime/server'
 *
 * const runtime = createRuntime()
 * const events = createEventSockets({ runtime, auth: { kind: 'none' } })
 * const socket = events.open({ send: (text) => console.log(text), close: (code) => console.log('closed', code) })
 * socket.receive('{"type": "subscribe", "types": ["agent.completed"]}')
 * events.close()
 * ```
 */
export function createEventSockets(options: EventSocketsOptions): EventSockets {
  checkOptions<EventSocketsOptions>('Creating the event sockets', options, {
    runtime: aRuntime,
    auth: anything, // createUpgradeCheck looks at it
    guard: aFunction,
    trustedProxies: texts,
    maxSockets: integerFrom(0),
    onError: aFunction,
    now: aFunction,
    createRequestId: aFunction,
    maxBufferedBytes: integerFrom(0),
    maxMessageBytes: integerFrom(1),
    maxMessages: integerFrom(1),
    slowClientMs: timerFrom(0),
    keepaliveMs: timerFrom(1),
  })
  const { runtime, auth, guard = loopbackGuard, maxSockets = 100, now } = options
  const onError = toErrorListener(options)
  const { createRequestId = () => crypto.randomUUID() } = options
  const clientAddress = createClientAddress(options.trustedProxies ?? [])
  const check = createUpgradeCheck({ runtime, auth, guard, clientAddress })
  const sockets = new Set<EventSocket>()
  const toFrame = rememberFrames()
  let isClosed = false

  function assertRoom(): void {
    if (!isClosed && sockets.size < maxSockets) return
    const message = isClosed
      ? 'The server is shutting down.'
      : `${maxSockets} clients are connected. Try again later.`
    throw new HttpError(503, { error: 'Unavailable', code: 'unavailable', message }, { 'retry-after': '5' })
  }

  return {
    get size() {
      return sockets.size
    },
    async checkUpgrade(request) {
      try {
        const accepted = await check(request)
        assertRoom()
        return { isAccepted: true, ...accepted }
      } catch (error) {
        if (!(error instanceof HttpError)) onError(error)
        return { isAccepted: false, response: toResponse(toHttpError(error), createRequestId()) }
      }
    },
    open(transport, accepted) {
      const isFull = isClosed || sockets.size >= maxSockets
      const stopWatching = accepted
        ? watchAccess(accepted.mayContinue, () => socket.end(1008, 'The access token is no longer valid'))
        : () => {}
      const socket: EventSocket = createEventSocket({
        ...options,
        transport,
        toFrame,
        onEnd() {
          sockets.delete(socket)
          stopWatching()
        },
        onError,
        ...(now && { now }),
      })
      sockets.add(socket)
      if (isClosed) socket.end(1001, 'The server is shutting down: reconnect with "since"')
      else if (isFull) socket.end(1013, 'Too many clients: try again later')
      return socket
    },
    close() {
      isClosed = true
      for (const socket of sockets) socket.end(1001, 'The server is shutting down: reconnect with "since"')
    },
  }
}

/** Clients that follow the journal get the same objects: each becomes text once. */
function rememberFrames(): (event: JournalEvent) => string {
  const texts = new WeakMap<JournalEvent, string>()
  return (event) => {
    let text = texts.get(event)
    if (text === undefined) texts.set(event, (text = JSON.stringify(event)))
    return text
  }
}

function toResponse(error: unknown, requestId: string): Response {
  const known =
    error instanceof HttpError ? error : new HttpError(500, { error: 'Failed to process request' })
  const headers = { ...known.headers, 'x-content-type-options': 'nosniff', 'x-request-id': requestId }
  const body = toErrorBody(known, { requestId, operationId: undefined })
  return Response.json(body, { status: known.status, headers: { ...headers, connection: 'close' } })
}
