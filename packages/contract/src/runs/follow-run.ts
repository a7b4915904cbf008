import { sleep } from '@homeward/kit'
import type { AgentPlatformOperations } from '../agent-platform/operations.ts'
import type { RunSourceInput } from '../agent-platform/run-source.ts'
import { type RunEvent, runEvents } from '../agent-platform/stream.ts'
import type { CallInput } from '../client/call-input.ts'
import { ClientError } from '../client/client-error.ts'
import type { Client } from '../client/create-client.ts'
import { readEvents } from '../events/read-events.ts'

/** The client methods that {@link followRun} needs. */
export type RunClient = Pick<
  Client<AgentPlatformOperations>,
  'streamAgentRun' | 'streamGraphRun' | 'streamRunEvents'
>

/** The run to follow: a task for an agent, an input for a graph, or the id of an existing run. */
export type FollowedRun =
  | CallInput<AgentPlatformOperations['streamAgentRun']>['body']
  | CallInput<AgentPlatformOperations['streamGraphRun']>['body']
  | { readonly run_id: string }

/** Options of {@link followRun}. */
export interface FollowRunOptions {
  /** Whether to stream the model's reasoning. @default false */
  readonly reasoning?: boolean
  /** Value of `source` for the run. @default api */
  readonly startedBy?: RunSourceInput
  /**
   * Whether to retry a start request that got no response. Also set `idempotency_key` in the body, so that the run
   * starts only once.
   *
   * @default false
   */
  readonly retriesStart?: boolean
  /** Stops reading. The run continues on the server. */
  readonly signal?: AbortSignal | undefined
}

/**
 * An item of {@link followRun}: an event of the run, or a state of the connection.
 *
 * - `restart`: all events follow again from the first one. Discard everything built from earlier ones.
 * - `connection`: the connection was lost and is being reopened, or is back.
 */
export type FollowedRunEvent =
  | RunEvent
  | { readonly event: 'restart' }
  | { readonly event: 'connection'; readonly isConnected: boolean }

/** How often a server that answers with an error is asked again. A server that does not answer is asked until it does. */
const attempts = 6
/** Between two events. A tool may take long, and an approval waits for a person. */
const timeoutMs = 86_400_000
const shortestDelayMs = 250
const longestDelayMs = 10_000

/**
 * Starts a run, or resumes reading an existing one, and yields its events until `done` or `error`.
 *
 * If the connection breaks, the run continues on the server. Reading resumes after the last event, so no event is
 * yielded twice. A server that crashed may number some events differently. Then `restart` is yielded, and all events
 * again.
 *
 * @throws {ClientError} if the run cannot be started, or can no longer be read.
 * @example
 * ```ts
 * import { agentPlatformOperations } from '@homeward/contract/agent-platform'
 * import { createClient } from '@homeward/contract/client'
 * import { foldRun, followRun, newTurn } from '@homeward/contract/runs'
 *
 * const client = createClient(agentPlatformOperations, { baseUrl: 'http://127.0.0.1:3010' })
 * let turn = newTurn()
 * for await (const event of followRun(client, { agent_id: 'writer', task: 'Say hello' })) {
 *   turn = foldRun(turn, event)
 *   console.log(turn.status, turn.parts)
 * }
 * ```
 */
export async function* followRun(
  client: RunClient,
  run: FollowedRun,
  options: FollowRunOptions = {},
): AsyncGenerator<FollowedRunEvent, void> {
  const { retriesStart = false, signal = new AbortController().signal } = options
  let place: Place | undefined = 'run_id' in run ? { runId: run.run_id, seq: 0 } : undefined
  const knownGaps = new Set<number>()
  let failures = 0
  let isLost = false
  while (!signal.aborted) {
    let isRestart = false
    try {
      const stream = await openStream(client, run, place, { ...options, signal })
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
      if ((place === undefined && !retriesStart) || !mayPass(error, failures)) throw error
    }
    if (isRestart) {
      yield { event: 'restart' }
      continue
    }
    if (place === undefined && !retriesStart) throw cutStart()
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
  client: RunClient,
  run: FollowedRun,
  place: Place | undefined,
  { reasoning = false, startedBy = 'api', signal }: FollowRunOptions,
): Promise<ReadableStream<Uint8Array>> {
  const query = reasoning ? ({ reasoning: 'true' } as const) : {}
  if (place !== undefined) {
    const { runId, seq } = place
    const headers = seq === 0 ? {} : { 'last-event-id': `${runId}:${seq}` }
    return client.streamRunEvents({ params: { id: runId }, query, headers, signal, timeoutMs })
  }
  const headers = { 'x-homeward-source': startedBy }
  if ('graph_id' in run) return client.streamGraphRun({ query, headers, body: run, signal, timeoutMs })
  if ('agent_id' in run) return client.streamAgentRun({ query, headers, body: run, signal, timeoutMs })
  throw new TypeError(
    'Following a run failed: it has no agent, graph or id. Set "agent_id", "graph_id" or "run_id".',
  )
}

/** Whether the same call may succeed later: the connection broke, or the server failed. */
function mayPass(error: unknown, failures: number): boolean {
  if (!ClientError.is(error)) return failures < attempts
  if (error.code === 'UNREACHABLE' || error.code === 'TIMEOUT') return true
  return error.code === 'HTTP' && (error.status ?? 0) >= 500 && failures < attempts
}

const cutStart = () =>
  new ClientError(
    'UNREACHABLE',
    'Following a run failed: the server ended the response before the run started. Try again.',
  )
