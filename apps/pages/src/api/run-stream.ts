import {
  type AgentPlatformOperations,
  type RunSourceInput,
  type RunEvent,
  runEvents,
} from '@homeward/contract/agent-platform'

import { type CallInput, ClientError } from '@homeward/contract/client'

import { readEvents } from '@homeward/contract/events'
import { platform } from './platform.ts'

/** What a run is asked for: an agent's or a graph's, or the id of one that goes on. */
export type RunStreamSource =
  | {
      readonly kind: 'agent'
      readonly body: CallInput<AgentPlatformOperations['streamAgentRun']>['body']
      /** The source that the request names. */
      readonly startedBy: RunSourceInput
    }
  | { readonly kind: 'graph'; readonly body: CallInput<AgentPlatformOperations['streamGraphRun']>['body'] }
  | { readonly kind: 'run'; readonly runId: string; readonly lastEventId?: string }

/** How often a server that answers with an error is asked again; one that does not answer is asked until it does. */
const attempts = 6
/** Between two events: a tool may take long, and an approval waits for a person. The server's own limits are shorter. */
const timeoutMs = 86_400_000
const shortestDelayMs = 500
const longestDelayMs = 10_000

/** How {@link readRunEvents} tells what is not an event. */
export interface RunEventsOptions {
  /** What came so far does not count: all events follow again, from the first. */
  readonly onRestart?: () => void
  /** Whether the server can be heard; while not, it is tried again. */
  readonly onConnection?: (isConnected: boolean) => void
}

/**
 * Reads the events of a run as they happen. A connection that breaks is opened again behind the last event (A6), so that
 * none comes twice. Ends with `done` or `error`, or when the signal aborts; that gives up the reading, not the run.
 *
 * A server that crashed tells what it had told and not kept once more, under numbers far behind. Such a gap shows: then
 * everything is read again, after `onRestart`.
 *
 * @throws {ClientError} when the run cannot be started, or read any further.
 */
export async function* readRunEvents(
  source: RunStreamSource,
  signal: AbortSignal,
  { onRestart, onConnection }: RunEventsOptions = {},
): AsyncGenerator<RunEvent, void> {
  let place = source.kind === 'run' ? toPlace(source.lastEventId ?? `${source.runId}:0`) : undefined
  const knownGaps = new Set<number>()
  let failures = 0
  while (!signal.aborted) {
    let isRestart = false
    try {
      const stream = await openStream(source, place, signal)
      onConnection?.(true)
      for await (const { id, event, data } of readEvents(stream, runEvents)) {
        if (signal.aborted) return
        const next = id === undefined ? undefined : toPlace(id)
        // Without a number it is the server that stops, not the run that has ended.
        if (event === 'error' && next === undefined) break
        if (isGap(place, next) && !knownGaps.has(next.seq)) {
          knownGaps.add(next.seq)
          place = { runId: next.runId, seq: 0 }
          isRestart = true
          break
        }
        place = next ?? place
        failures = 0
        yield { event, data } as RunEvent // the pair that `readEvents` parsed
        if (event === 'done' || event === 'error') return
      }
    } catch (error) {
      if (signal.aborted) return
      // What was never answered is not sent again: it may have started a run.
      if (place === undefined || !mayPass(error, failures)) throw error
    }
    if (place === undefined)
      throw new Error('The server ended the response before the run started. Try again.')
    if (isRestart) {
      onRestart?.()
      continue
    }
    onConnection?.(false)
    failures += 1
    await pause(Math.min(shortestDelayMs * 2 ** (failures - 1), longestDelayMs), signal)
  }
}

/** Behind which event of which run to go on. */
interface Place {
  readonly runId: string
  readonly seq: number
}

function toPlace(eventId: string): Place {
  const mark = eventId.lastIndexOf(':')
  return { runId: eventId.slice(0, mark), seq: Number(eventId.slice(mark + 1)) }
}

/** Whether numbers are missing behind events that were read. */
function isGap(place: Place | undefined, next: Place | undefined): next is Place {
  return place !== undefined && next !== undefined && place.seq > 0 && next.seq > place.seq + 1
}

const reasoning = { reasoning: 'true' } as const
const startedBy = (source: RunSourceInput) => ({ 'x-homeward-source': source })

function openStream(
  source: RunStreamSource,
  place: Place | undefined,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  if (place !== undefined) {
    const { runId, seq } = place
    const headers = seq === 0 ? {} : { 'last-event-id': `${runId}:${seq}` }
    return platform.streamRunEvents({ params: { id: runId }, query: reasoning, headers, signal, timeoutMs })
  }
  if (source.kind === 'graph')
    return platform.streamGraphRun({ body: source.body, headers: startedBy('page'), signal, timeoutMs })
  if (source.kind === 'agent') {
    const headers = startedBy(source.startedBy)
    return platform.streamAgentRun({ query: reasoning, body: source.body, headers, signal, timeoutMs })
  }
  throw new Error('Reading a run failed: it has no id.')
}

/** Whether the same may work later: the connection failed, or the server did. */
function mayPass(error: unknown, failures: number): boolean {
  if (!ClientError.is(error)) return failures < attempts
  if (error.code === 'UNREACHABLE' || error.code === 'TIMEOUT') return true
  return error.code === 'HTTP' && (error.status ?? 0) >= 500 && failures < attempts
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })
}
