import {
  RunRequest,
  type AgentPlatformOperations,
  type AguiMessage,
  type Run,
  type RunEvent,
  type Wait,
} from '@homeward/contract/agent-platform'
import {
  HttpError,
  validationError,
  type Call,
  type PlainReply,
  type RequestView,
} from '@homeward/contract/handler'
import { toEventStream } from '@homeward/kit'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { shownId } from '../../store/own-conversation.ts'
import type { PlatformCaller } from '../access/platform-caller.ts'
import { findActiveRun } from '../chat/chat-handlers.ts'
import { answerAsCaller } from '../chat/stream-chat.ts'
import type { PlatformContext } from '../platform-context.ts'
import { toHttpError } from '../platform-errors.ts'
import { createUiChunks } from '../ui-chunks.ts'
import {
  createAguiEvents,
  toAguiEnd,
  toAguiWaiting,
  toWaitData,
  type AguiEvent,
  type AguiHead,
} from './agui-events.ts'

type AguiCall = Call<AgentPlatformOperations['runAgui'], PlatformCaller>

/** A run of the platform, and the answers with which it continues. */
interface Followed {
  readonly runId: string
  /** Ids of its waits that the request settled: what came before is known. */
  readonly settled: ReadonlySet<string>
  /** Those of calls whose outputs the request had. */
  readonly outputs: ReadonlySet<string>
}

/**
 * Starts a run for a client of AG-UI, or continues the one that waits in its conversation. Problems of answers are events, as the
 * protocol asks for.
 *
 * @throws {HttpError} 400, 404
 */
export async function runAgui(context: PlatformContext, call: AguiCall): Promise<PlainReply> {
  const { body, request } = call
  const head: AguiHead = { threadId: shownId(body.threadId), runId: body.runId }
  const outputs = trailing(body.messages, 'tool')
  const isAnswer = outputs.length > 0 || (body.resume?.length ?? 0) > 0
  const active = await findActiveRun(context, body.threadId)
  const leaving = new AbortController()
  let followed: Followed
  try {
    followed = isAnswer
      ? await answer(context, call, active, outputs)
      : await start(context, call, active, leaving.signal)
  } catch (error) {
    const known = toHttpError(error)
    if (!isAnswer || !(known instanceof HttpError)) throw error
    return toReply(context, request, undefined, async function* () {
      yield { type: 'RUN_STARTED', ...head }
      yield { type: 'RUN_ERROR', message: known.message, code: known.body.code ?? 'internal_error' }
    })
  }
  return toReply(context, request, followed.runId, async function* (signal) {
    let isOver = false
    try {
      for await (const event of followRun(context, call, head, followed, signal)) {
        isOver = event.type === 'RUN_FINISHED' || event.type === 'RUN_ERROR'
        yield event
      }
    } finally {
      // a client that stops its run goes away
      if (!isOver && signal.aborted) leaving.abort()
    }
  })
}

const trailing = (messages: readonly AguiMessage[], role: string) =>
  messages.slice(messages.findLastIndex((message) => message.role !== role) + 1)

/** @throws {RuntimeError} `not_found`, `conflict`, `validation_error` */
async function answer(
  context: PlatformContext,
  { params, body, caller, request }: AguiCall,
  run: Run | undefined,
  outputs: readonly AguiMessage[],
): Promise<Followed> {
  const { resume = [] } = body
  const attempt = 'Continuing the run failed:'
  const isOwn = run && run.agent_id === params.agent_id && run.user_id === (caller.userId ?? body.user_id)
  if (!isOwn || run.status !== 'waiting')
    throw new RuntimeError('not_found', `${attempt} no run waits in this thread. Send a message of the user.`)
  const waits = new Map(run.waits.map((wait) => [wait.id, wait]))
  const answered = new Set(resume.map(({ interruptId }) => interruptId))
  const unknown = [...answered].find((id) => !waits.has(id) || waits.get(id)?.kind === 'client_tool')
  if (unknown !== undefined)
    throw new RuntimeError(
      'not_found',
      `${attempt} the thread has no interrupt "${unknown}". Answer the open interrupts.`,
    )
  const left = run.waits.filter((wait) => isInterrupt(wait) && !answered.has(wait.id))
  if (left.length > 0) throw unanswered(left)
  const given = new Set<string>()
  for (const { toolCallId = '', content, error } of outputs) {
    const wait = waits.get(toolCallId)
    if (wait?.kind !== 'client_tool' || wait.run_id !== run.id) continue
    const data = error === undefined ? textOf(content) : { error }
    await context.services.runs.answerWait(run.id, wait.id, { data })
    given.add(wait.id)
  }
  for (const { interruptId: id, status, payload } of resume) {
    const { kind } = waits.get(id)! // it was found
    const decided = status === 'cancelled' ? { decline: true as const } : { data: toWaitData(kind, payload) }
    await answerAsCaller(context, request, `/api/runs/${encodeURIComponent(run.id)}/waits/${id}`, decided)
  }
  return { runId: run.id, settled: new Set([...given, ...answered]), outputs: given }
}

const isInterrupt = ({ status, kind }: Wait) => status === 'open' && kind !== 'client_tool'

const unanswered = (waits: readonly Wait[]) =>
  new RuntimeError(
    'conflict',
    `Continuing the run failed: the thread has interrupts without an answer: ${waits.map(({ id }) => id).join(', ')}. ` +
      'Send one for each in "resume".',
  )

/** @throws {HttpError} 400; as `runs.start` */
async function start(
  { services: { runs } }: PlatformContext,
  { params, body, caller }: AguiCall,
  active: Run | undefined,
  signal: AbortSignal,
): Promise<Followed> {
  const said = body.messages.at(-1)
  if (said?.role !== 'user')
    throw validationError('messages: must end with a message of the user, or with outputs of tools')
  if (active?.status === 'waiting') {
    const interrupts = active.waits.filter(isInterrupt)
    if (interrupts.length > 0) throw unanswered(interrupts)
    // the user goes on without the outputs of the tools
    await runs.cancel(active.id)
  }
  const { tools = [], context = [], threadId } = body
  const files = filesOf(said)
  const task = textOf(said.content) || files.map(({ media_type }) => media_type).join(', ')
  const given = RunRequest.safeParse({
    agent_id: params.agent_id,
    task,
    message_id: said.id,
    user_id: caller.userId ?? body.user_id,
    ...(files.length > 0 && { files }),
    ...(tools.length > 0 && {
      client_tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    }),
  })
  if (!given.success) {
    const [issue] = given.error.issues
    throw validationError(`${fieldOf(issue?.path[0])}: ${issue?.message ?? 'is invalid'}`)
  }
  const isSystem = ({ role }: AguiMessage) => role === 'system' || role === 'developer'
  const instructions = [
    ...body.messages.filter(isSystem).map(({ content }) => textOf(content)),
    ...context.map(({ description, value }) => `${description}: ${value}`),
  ].join('\n\n')
  // the thread may have an id that is the user's own
  const asked = { ...given.data, conversation_id: threadId }
  const options = { signal, ...(instructions !== '' && { instructions }) }
  const { runId } = await runs.start(asked, options).catch((error: unknown) => {
    if (!RuntimeError.is(error) || error.code !== 'conflict') throw error
    // a client that runs its agent again sends the same message again
    const { message_id: _, ...again } = asked
    return runs.start({ ...again, regenerate: true }, options)
  })
  return { runId, settled: new Set(), outputs: new Set() }
}

const fields: Readonly<Record<string, string>> = { client_tools: 'tools' }
const fieldOf = (name: unknown) => fields[String(name)] ?? 'messages'

function textOf(content: AguiMessage['content']): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : [])).join('\n')
}

/** @throws {HttpError} 400 for files at an address: nothing is fetched */
function filesOf({ content }: AguiMessage) {
  if (!Array.isArray(content)) return []
  return content.flatMap(({ type, source, ...part }) => {
    if (type === 'text') return []
    // the older form has its fields in the part itself
    const {
      type: kind,
      value,
      mimeType,
    } = source ?? {
      type: 'data',
      value: part['data'] as string | undefined, // the request of a run checks it
      mimeType: part['mimeType'] as string | undefined,
    }
    if (kind !== 'data' || value === undefined)
      throw validationError('messages: files must be in the message, because addresses are not fetched')
    return [{ media_type: mimeType ?? 'application/octet-stream', data: value }]
  })
}

/** The events of a run, behind the answers that the request gave, until it ends or waits. */
async function* followRun(
  { services: { runs, agents }, basePath }: PlatformContext,
  { params, query, body }: AguiCall,
  head: AguiHead,
  { runId, settled, outputs }: Followed,
  signal: AbortSignal,
): AsyncGenerator<AguiEvent> {
  yield { type: 'RUN_STARTED', ...head }
  const toChunks = createUiChunks({ basePath, declared: new Set(await agents.codeTools(params.agent_id)) })
  const toEvents = createAguiEvents(runId, outputs)
  const unsettled = new Set(settled)
  const options = { untilWaiting: true, reasoning: query.reasoning === 'true' }
  let end: Extract<RunEvent, { event: 'done' | 'error' }> | undefined
  for await (const { event } of runs.events(runId, 0, signal, options)) {
    const chunks = toChunks(event)
    if (unsettled.size > 0) {
      if (event.event === 'wait_settled') unsettled.delete(event.data.wait.id)
      continue
    }
    for (const chunk of chunks) yield* toEvents(chunk)
    if (event.event === 'done' || event.event === 'error') end = event
  }
  if (signal.aborted) return
  if (end) yield toAguiEnd(head, end, body.protocolVersion !== undefined)
  else yield toAguiWaiting(head, (await runs.get(runId)).waits)
}

function toReply(
  { keepaliveMs, onError }: PlatformContext,
  request: RequestView,
  runId: string | undefined,
  events: (signal: AbortSignal) => AsyncIterable<AguiEvent>,
): PlainReply {
  async function* write(signal: AbortSignal): AsyncGenerator<string, void> {
    try {
      for await (const event of events(signal)) yield `data: ${JSON.stringify(event)}\n\n`
    } catch (error) {
      if (signal.aborted) return
      onError(error)
      const message = 'The stream was interrupted. Send the request again.'
      yield `data: ${JSON.stringify({ type: 'RUN_ERROR', message, code: 'internal_error' })}\n\n`
    }
  }
  return {
    status: 200,
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no', // nginx would hold events back
      ...(runId !== undefined && { 'x-homeward-run': runId }),
    },
    body: toEventStream(write, { keepaliveMs, signal: request.signal }),
  }
}
