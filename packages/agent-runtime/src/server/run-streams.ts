import type { Run } from '@homeward/contract/agent-platform'
import { validationError, type PlainReply, type RequestView } from '@homeward/contract/handler'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { PlatformContext } from './platform-context.ts'
import { toRunStream, type RunStreamOptions } from './run-stream.ts'

/** What a caller asked of a stream. */
export interface StreamQuery {
  /** @default events */
  readonly format?: RunStreamOptions['format'] | undefined
  readonly reasoning?: 'true' | 'false' | undefined
}

/** A request for a run whose events are streamed. */
interface StreamedStart {
  /** Whether a run is the one that the request asked for. */
  isSame(run: Run): boolean
  start(): Promise<{ readonly runId: string }>
  /** The only user whose runs the caller may follow. @default any */
  readonly userId?: string | undefined
  /** @default none: a graph */
  readonly agentId?: string
}

interface StreamedRun {
  readonly id: string
  readonly agentId: string | undefined
  readonly isGraph: boolean
}

const toStreamed = ({ id, agent_id, graph_id }: Run): StreamedRun => ({
  id,
  agentId: agent_id,
  isGraph: graph_id !== undefined,
})

/** Streams of runs: a client that lost one goes on behind the last event that it saw (A6). */
export interface RunStreams {
  /**
   * Starts a run and streams it, or goes on with the one that the request names in `Last-Event-ID`. A request for another
   * task starts another run.
   *
   * @throws {HttpError} 400 for a header that names no event.
   * @throws {RuntimeError} `not_found` for a run that is not there any more: to start it anew would do its work twice.
   */
  start(request: RequestView, query: StreamQuery, given: StreamedStart): Promise<PlainReply>
  /**
   * Streams a run's events behind a number. Answers 204 when nothing comes behind it any more: an `EventSource` opens every
   * stream that ended anew, for ever, until it hears that.
   */
  follow(request: RequestView, query: StreamQuery, run: Run, sinceSeq: number): Promise<PlainReply>
  /** Streams what comes of a run behind calls that people were asked about. Other formats than `ui` begin at its start. */
  proceed(
    request: RequestView,
    query: StreamQuery,
    run: Run,
    decided: ReadonlySet<string>,
  ): Promise<PlainReply>
}

export function createRunStreams({ services, keepaliveMs, basePath, onError }: PlatformContext): RunStreams {
  const { runs, agents } = services

  async function stream(
    request: RequestView,
    query: StreamQuery,
    run: StreamedRun,
    sinceSeq: number,
    decided?: ReadonlySet<string>,
  ): Promise<PlainReply> {
    const { format = 'events' } = query
    // a chat sends decisions once its stream has ended; graphs are no chats
    const untilWaiting = format === 'ui' && !run.isGraph
    const options = { reasoning: query.reasoning === 'true', untilWaiting }
    const events = (signal: AbortSignal) => runs.events(run.id, sinceSeq, signal, options)
    const declared =
      format === 'ui' && run.agentId !== undefined && new Set(await agents.codeTools(run.agentId))
    const shown = { basePath, ...(declared && { declared }) }
    const given = { runId: run.id, format, request, events, keepaliveMs, shown, onError, untilWaiting }
    return toRunStream({ ...given, ...(decided && { decided }) })
  }

  const follow: RunStreams['follow'] = async (request, query, run, sinceSeq) => {
    // a page that joins needs the message from its start
    if (query.format === 'ui') return stream(request, query, toStreamed(run), 0)
    if (sinceSeq > 0 && isOver(run) && (await isEmpty(runs.events(run.id, sinceSeq, request.signal)))) {
      return nothingMore
    }
    return stream(request, query, toStreamed(run), sinceSeq)
  }

  return {
    follow,
    proceed: (request, query, run, decided) => stream(request, query, toStreamed(run), 0, decided),
    async start(request, query, { isSame, start, userId, agentId }) {
      const given = request.header('last-event-id')?.trim()
      if (given) {
        const { id, seq } = splitEventId(given)
        if (id === undefined || seq === undefined) throw noEventId()
        const known = await runs.find(id)
        if (!known || (userId ?? known.user_id) !== known.user_id)
          throw new RuntimeError('not_found', runIsGone)
        if (isSame(known)) return await follow(request, query, known, seq)
      }
      const { runId } = await start()
      return stream(request, query, { id: runId, agentId, isGraph: agentId === undefined }, 0)
    },
  }
}

/** A cache may keep a 204 that says nothing about it. */
const nothingMore: PlainReply = { status: 204, headers: { 'cache-control': 'no-store' }, body: null }

const isOver = ({ status }: Run) => status !== 'running' && status !== 'waiting'

async function isEmpty(items: AsyncIterable<unknown>): Promise<boolean> {
  for await (const _ of items) return false
  return true
}

/**
 * Number behind which a caller wants to go on: `<run_id>:<seq>` as the events carry it, or the number alone.
 *
 * @throws {HttpError} 400 for anything else, or for an event of another run.
 */
export function parseLastEventId(request: RequestView, runId: string): number {
  const given = request.header('last-event-id')?.trim()
  if (!given) return 0
  const { id = runId, seq } = splitEventId(given)
  if (seq === undefined || id !== runId) throw noEventId()
  return seq
}

const runIsGone =
  'Resuming a stream failed: the run in Last-Event-ID does not exist. Leave the header out to start a run.'
const noEventId = () => validationError('Last-Event-ID: must be <run_id>:<seq> of an event of this run')

/** The parts of an event's id. */
function splitEventId(given: string): { readonly id?: string; readonly seq?: number } {
  const mark = given.lastIndexOf(':')
  const seq = given.slice(mark + 1)
  return {
    ...(mark >= 0 && { id: given.slice(0, mark) }),
    ...(/^\d{1,15}$/.test(seq) && { seq: Number(seq) }),
  }
}
