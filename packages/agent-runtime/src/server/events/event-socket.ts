import { EventSocketRequest, type JournalEvent } from '@homeward/contract/agent-platform'
import type { JournalView } from '../../journal/follow-journal.ts'
import type { AgentRuntime } from '../../runtime/runtime.ts'
import { createEventSender } from './event-sender.ts'
import type { EventSocketLimits, EventTransport } from './event-transport.ts'
import { describeIssues, describeIssue } from '@homeward/contract/handler'

/** What {@link createEventSocket} is built from. */
interface EventSocketOptions extends EventSocketLimits {
  /** Whose events they are. */
  readonly runtime: Pick<AgentRuntime, 'logs'>
  /** The connection to the client. */
  readonly transport: EventTransport
  /** Text of an event, for hosts that share it between sockets. @default JSON.stringify */
  readonly toFrame?: (event: JournalEvent) => string
  /** Told why the journal could not be read. @default ignored */
  readonly onError?: (error: unknown) => void
  /** Told once, when the connection is over. @default ignored */
  readonly onEnd?: () => void
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number
}

/** A client of `/api/events`. Your app passes on the messages that arrive. */
export interface EventSocket {
  /** Handles a message of the client: a string, or any other value for a binary message. */
  receive(message: unknown): void
  /** Optional signal that all data was sent. The client then gets the next events at once. */
  drained(): void
  /** Marks the connection as closed. Nothing is sent any more. */
  closed(): void
  /** Closes the connection. */
  end(code: number, reason: string): void
}

/** Milliseconds that a new client has to subscribe before it gets everything: then it sees no event twice. */
const graceMs = 500

type Subscription = Extract<EventSocketRequest, { type: 'subscribe' }>

/**
 * A client of the WebSocket `/api/events` (A14), whatever library carries it. The client gets every event from its
 * connection on; `{type: "subscribe", types?, run_id?, since?}` replaces that. Events are read from the journal as the
 * client takes them: a slow one costs no memory, and is dropped when it stays slow.
 */
export function createEventSocket(options: EventSocketOptions): EventSocket {
  const { runtime, transport, toFrame = JSON.stringify, now = Date.now } = options
  const over = new AbortController()
  let current = new AbortController()
  let isFirst = true
  const read = createEventRequestReader(options, now)
  const sender = createEventSender({ transport, limits: options, onSlow, now })
  /** One subscription after the other, in the order of the messages. The first knows where the connection began. */
  let subscribing: Promise<number | void> = runtime.logs.lastSeq(over.signal).catch(fail)
  const start = subscribing
  let grace = setTimeout(() => {
    // A turn later: a message that has arrived while the process was busy comes first.
    grace = setTimeout(subscribe, 0, { type: 'subscribe' })
  }, graceMs)

  function closed(): void {
    if (over.signal.aborted) return
    clearTimeout(grace)
    sender.stop()
    over.abort()
    current.abort()
    options.onEnd?.()
  }

  function end(code: number, reason: string): void {
    if (over.signal.aborted) return
    closed()
    transport.close(code, reason)
  }

  function onSlow(): void {
    end(1013, 'Too slow: reconnect with "since" to resume after the last event you received')
  }

  function fail(error: unknown): void {
    if (over.signal.aborted) return
    options.onError?.(error)
    end(1011, 'The journal cannot be read: reconnect later with "since"')
  }

  /** Answers are as few as messages may be: they wait for no room. */
  function answer(frame: object): void {
    if (!over.signal.aborted) sender.send(JSON.stringify(frame)).catch(fail)
  }

  function refuse(code: string, message: string): void {
    answer({ type: 'error', error: 'The message is invalid', code, message })
  }

  async function stream(view: JournalView, signal: AbortSignal): Promise<void> {
    for await (const event of runtime.logs.follow(view, signal)) {
      await sender.waitForRoom(signal)
      if (signal.aborted) return
      await sender.send(toFrame(event))
    }
    if (!signal.aborted) end(1001, 'The server is shutting down: reconnect with "since"')
  }

  async function replace(
    { id, types, run_id: runId, since }: Subscription,
    from: number | void,
  ): Promise<void> {
    const last = await runtime.logs.lastSeq(over.signal)
    if (since !== undefined && since > last) {
      return refuse(
        'conflict',
        `since: must be at most ${last}, the last event of the journal, got ${since}. Leave "since" out to start at the end.`,
      )
    }
    const position = since ?? from ?? last
    const own = new AbortController()
    current.abort()
    current = own
    if (over.signal.aborted) return own.abort()
    if (id !== undefined) answer({ type: 'subscribed', id, since: position })
    void stream({ types, runId, since: position }, own.signal).catch((error) => {
      if (!own.signal.aborted) fail(error)
    })
  }

  function subscribe(subscription: Subscription): void {
    clearTimeout(grace)
    const from = isFirst ? start : undefined
    isFirst = false
    subscribing = subscribing.then(async () => replace(subscription, await from)).catch(fail)
  }

  function receive(message: unknown): void {
    if (over.signal.aborted) return
    const outcome = read(message)
    if ('end' in outcome) return end(outcome.end.code, outcome.end.reason)
    if ('problem' in outcome) return refuse('validation_error', outcome.problem)
    const { request } = outcome
    if (request.type === 'subscribe') return subscribe(request)
    answer({ type: 'pong', ...(request.id !== undefined && { id: request.id }) })
  }

  return { receive, drained: sender.drained, closed, end }
}

const windowMs = 10_000

/** What came of a message: a request, what is wrong with it, or why the connection ends. */
type EventRequestOutcome =
  | { readonly request: EventSocketRequest }
  | { readonly problem: string }
  | { readonly end: { readonly code: number; readonly reason: string } }

/** Reads the messages of one client, within its limits. */
function createEventRequestReader(
  { maxMessageBytes = 16_384, maxMessages = 50 }: EventSocketLimits,
  now: () => number,
): (message: unknown) => EventRequestOutcome {
  let times: number[] = []

  function isTooOften(): boolean {
    const nowMs = now()
    times = times.filter((at) => nowMs - at < windowMs)
    times.push(nowMs)
    return times.length > maxMessages
  }

  return (message) => {
    if (typeof message !== 'string') return ending(1003, 'Send text, not bytes')
    if (isLargerThan(message, maxMessageBytes)) {
      return ending(1009, `A message is larger than ${maxMessageBytes} bytes`)
    }
    if (isTooOften()) return ending(1008, `More than ${maxMessages} messages within ten seconds`)
    return parse(message)
  }
}

const ending = (code: number, reason: string) => ({ end: { code, reason } })

function parse(text: string): EventRequestOutcome {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { problem: 'message: is not JSON. Send {"type": "subscribe", "types"?, "run_id"?, "since"?}.' }
  }
  const parsed = EventSocketRequest.safeParse(value, { error: describeIssue })
  if (parsed.success) return { request: parsed.data }
  return { problem: describeIssues(parsed.error.issues, 'message') }
}

function isLargerThan(text: string, bytes: number): boolean {
  if (text.length * 3 <= bytes) return false
  return text.length > bytes || new TextEncoder().encode(text).byteLength > bytes
}
