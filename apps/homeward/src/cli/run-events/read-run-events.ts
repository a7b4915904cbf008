import {
  type AgentPlatformOperations,
  type RunSourceInput,
  runEvents,
  type RunEvent,
} from '@homeward/contract/agent-platform'
import { ClientError, type Client } from '@homeward/contract/client'
import { readEvents } from '@homeward/contract/events'
import { sleep } from '@homeward/kit'

/** A client of the agent platform. */
export type AgentsClient = Client<AgentPlatformOperations>

/** What a run is asked for, as it goes over the wire: files are base64. */
export type RunInput = Parameters<AgentsClient['runAgent']>[0]['body']

/** A run to start, or one that was started before. */
export type RunSource =
  | {
      readonly kind: 'start'
      readonly request: RunInput & { readonly idempotency_key: string }
      /** The source that the request names. @default api */
      readonly startedBy?: RunSourceInput
    }
  | { readonly kind: 'run'; readonly runId: string }

/** What {@link readRunEvents} yields besides events: `restart` means that all events follow again, from the first. */
export type RunNews =
  | RunEvent
  | { readonly event: 'restart' }
  | { readonly event: 'connection'; readonly isConnected: boolean }

/** How often a server that answers with an error is asked again. One that does not answer is asked until it does. */
const attempts = 6
/** Between two events: a tool may take long, and an approval waits for a person. */
const timeoutMs = 86_400_000
const shortestDelayMs = 250
const longestDelayMs = 5000

/** How {@link readRunEvents} reads. */
export interface ReadRunOptions {
  readonly client: AgentsClient
  readonly source: RunSource
  /** @default false */
  readonly reasoning?: boolean
  /** Whether a start is retried if the server does not respond. @default false */
  readonly retriesStart?: boolean
}

/**
 * Reads the events of a run as they happen, until `done` or `error`. If the connection breaks, the run continues on the
 * server, and reading resumes after the last event. A start that got no response is sent again with the same idempotency
 * key, so that the run starts once. Aborting the signal stops the reading, not the run.
 *
 * A server that crashed may emit some events a second time, under higher numbers. Then all events are read again, after
 * `restart`.
 *
 * @throws {ClientError} if the run cannot be started, or can no longer be read.
 */
export async function* readRunEvents(
  options: ReadRunOptions,
  signal: AbortSignal,
): AsyncGenerator<RunNews, void> {
  let place: Place | undefined =
    options.source.kind === 'run' ? { runId: options.source.runId, seq: 0 } : undefined
  const knownGaps = new Set<number>()
  let failures = 0
  let isLost = false
  while (!signal.aborted) {
    let isRestart = false
    try {
      const stream = await openStream(options, place, signal)
      if (isLost) yield { event: 'connection', isConnected: true }
      isLost = false
      for await (const { id, event, data } of readEvents(stream, runEvents)) {
        if (signal.aborted) return
        const next = id === undefined ? undefined : toPlace(id)
        if (event === 'error' && next === undefined) break // the server stops, not the run
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
      const isRetried = options.retriesStart === true || place !== undefined || failures > 0
      if (!mayPass(error, failures, isRetried)) throw error
    }
    if (isRestart) {
      yield { event: 'restart' }
      continue
    }
    if (!isLost) yield { event: 'connection', isConnected: false }
    isLost = true
    failures += 1
    await sleep(Math.min(shortestDelayMs * 2 ** (failures - 1), longestDelayMs), signal)
  }
}

/** After which event of which run to resume. */
interface Place {
  readonly runId: string
  readonly seq: number
}

function toPlace(eventId: string): Place {
  const mark = eventId.lastIndexOf(':')
  return { runId: eventId.slice(0, mark), seq: Number(eventId.slice(mark + 1)) }
}

/** Whether numbers are missing after events that were read. */
function isGap(place: Place | undefined, next: Place | undefined): next is Place {
  return place !== undefined && next !== undefined && place.seq > 0 && next.seq > place.seq + 1
}

function openStream(
  { client, source, reasoning = false }: ReadRunOptions,
  place: Place | undefined,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const query = reasoning ? ({ reasoning: 'true' } as const) : {}
  if (place !== undefined) {
    const { runId, seq } = place
    const headers = seq === 0 ? {} : { 'last-event-id': `${runId}:${seq}` }
    return client.streamRunEvents({ params: { id: runId }, query, headers, signal, timeoutMs })
  }
  if (source.kind === 'start') {
    const headers = { 'x-homeward-source': source.startedBy ?? 'api' }
    return client.streamAgentRun({ query, headers, body: source.request, signal, timeoutMs })
  }
  throw new Error('Reading a run failed: it has no id.')
}

/** Whether the same call may succeed later: the connection broke, or the server failed. */
function mayPass(error: unknown, failures: number, isRetried: boolean): boolean {
  if (!ClientError.is(error)) return failures < attempts
  if (error.code === 'UNREACHABLE' || error.code === 'TIMEOUT') return isRetried
  return error.code === 'HTTP' && (error.status ?? 0) >= 500 && failures < attempts
}
