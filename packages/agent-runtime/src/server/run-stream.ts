import { HttpError, type PlainReply, type RequestView } from '@homeward/contract/handler'
import type { NumberedRunEvent } from '../runs/runs.ts'
import { toEventStream } from '@homeward/kit'
import { toHttpError } from './platform-errors.ts'
import { createUiChunks, uiStreamHeaders, type UiChunkOptions } from './ui-chunks.ts'

/** How the events of a run are answered. */
export interface RunStreamOptions {
  readonly runId: string
  /** The platform's own events, or the AI SDK's UI message stream (A6). */
  readonly format: 'events' | 'ui'
  readonly events: (signal: AbortSignal) => AsyncIterable<NumberedRunEvent>
  readonly request: RequestView
  readonly keepaliveMs: number
  /** How a `ui` stream shows tools and files. */
  readonly shown: UiChunkOptions
  /** Whether `events` end where the run waits for people: the chat goes on with another request. @default false */
  readonly untilWaiting?: boolean
  /** Waits that a chat has settled: it has all events up to them. @default none */
  readonly decided?: ReadonlySet<string>
  /** Told of what broke the stream. */
  readonly onError: (error: unknown) => void
}

/** A run's events as an answer (A6). */
export function toRunStream(options: RunStreamOptions): PlainReply {
  const { request, keepaliveMs, format } = options
  const write = format === 'ui' ? writeUi : writeEvents
  const body = toEventStream((signal) => write(options, signal), { keepaliveMs, signal: request.signal })
  const headers = {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no', // nginx would hold events back
    ...(format === 'ui' && uiStreamHeaders),
  }
  return { status: 200, headers, body }
}

async function* writeEvents(options: RunStreamOptions, signal: AbortSignal): AsyncGenerator<string, void> {
  try {
    for await (const { seq, event } of options.events(signal)) {
      // A caller cannot resume after an event that is not stored: it has no id.
      const isUnstored = event.event === 'reasoning' || (event.event === 'data' && event.data.transient)
      const id = isUnstored ? '' : `id: ${options.runId}:${seq}\n`
      yield `${id}event: ${event.event}\ndata: ${JSON.stringify(event.data)}\n\n`
    }
  } catch (error) {
    if (signal.aborted) return
    options.onError(error)
    // Without an id: a caller that comes back goes on behind the last event that it saw.
    yield `event: error\ndata: ${JSON.stringify({ ...toFailure(error), run_id: options.runId })}\n\n`
  }
}

async function* writeUi(options: RunStreamOptions, signal: AbortSignal): AsyncGenerator<string, void> {
  const toChunks = createUiChunks(options.shown)
  const write = (chunk: object) => `data: ${JSON.stringify(chunk)}\n\n`
  const unseen = new Set(options.decided)
  let last: string | undefined
  try {
    if (unseen.size > 0) yield write({ type: 'start', messageId: options.runId })
    for await (const { event } of options.events(signal)) {
      last = event.event
      const chunks = toChunks(event)
      if (unseen.size > 0) {
        if (event.event === 'approval') unseen.delete(event.data.id)
        // an approval has an event of its own behind it
        else if (event.event === 'wait' && event.data.wait.kind === 'client_tool')
          unseen.delete(event.data.wait.id)
        continue
      }
      const text = chunks.map(write).join('')
      if (text !== '') yield text
    }
    if (options.untilWaiting && (last === 'wait' || last === 'approval'))
      yield waitingChunks.map(write).join('')
  } catch (error) {
    if (signal.aborted) return
    options.onError(error)
    yield write({ type: 'error', errorText: toFailure(error).message })
  }
  yield 'data: [DONE]\n\n'
}

/** A message that its run goes on with once people have decided. */
const waitingChunks = [{ type: 'finish-step' }, { type: 'finish', finishReason: 'tool-calls' }]

function toFailure(error: unknown): { readonly message: string; readonly code: string } {
  const known = toHttpError(error)
  if (known instanceof HttpError) return { message: known.message, code: known.body.code ?? 'internal_error' }
  return { message: 'The stream was interrupted. Request the events again.', code: 'internal_error' }
}
