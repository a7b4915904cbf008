import type { Agent, RunRequest, RunResult, WaitKind } from '@homeward/contract/agent-platform'
import type { RequestView } from '@homeward/contract/handler'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { isWaiting, waitsIn } from '../../ports/waiting-agent.ts'
import type { RunHandle } from '../../runs/runs.ts'
import { ownId } from '../../store/own-conversation.ts'
import type { PlatformCaller } from '../access/platform-caller.ts'
import { withIdempotencyKey } from '../start-headers.ts'
import type { PlatformContext } from '../platform-context.ts'
import { openCallsOf, type ContinuedRun, type ToolCall } from './caller-tools.ts'
import { conversationNotFound, modelNotFound, toRunError } from './openai-errors.ts'
import type { AgentTask } from './to-agent-task.ts'

/** What a caller gets of a run that did not fail. */
export interface Answer {
  readonly result: RunResult
  readonly text: string
  readonly finish: 'stop' | 'length' | 'tool_calls'
  /** Calls of tools of the caller, for whose results the run waits. */
  readonly toolCalls?: readonly ToolCall[]
}

/** A piece of a streamed answer: text as it comes, then the answer as a whole. */
export type AnswerPart = { readonly delta: string } | { readonly answer: Answer }

/** A run that a request below `/v1` has started, or joined by its `Idempotency-Key`. */
export interface OpenRun {
  readonly runId: string
  /** @throws {HttpError} the error of a run that failed. */
  answer(): Promise<Answer>
  /**
   * The same in pieces. A caller that stops reading cancels the run.
   *
   * @throws {HttpError} the error of a run that failed.
   */
  parts(signal: AbortSignal): AsyncGenerator<AnswerPart, void>
}

/**
 * Starts the run of a task. A caller that goes away cancels it, as with the OpenAI API, unless the caller sent an
 * `Idempotency-Key` and can come back for it.
 *
 * @throws {HttpError} 404 for an unknown model, or a conversation of another user.
 * @throws {RuntimeError} as `runs.start`.
 */
export async function openRun(
  { services }: PlatformContext,
  { request: asked, instructions, toolChoice, previous }: AgentTask,
  request: RequestView,
  { userId }: PlatformCaller,
): Promise<OpenRun> {
  const { agents, runs } = services
  const agent = await agents.find(asked.agent_id)
  if (!agent) throw modelNotFound(asked.agent_id)
  const given = userId === undefined ? asked : await withOwnIds(services, asked, request, userId)
  const keyed = withIdempotencyKey(given, request)
  const leaving = new AbortController()
  const leave = () => leaving.abort()
  if (request.signal.aborted) leave()
  request.signal.addEventListener('abort', leave, { once: true })
  const mayLeave = keyed.idempotency_key === undefined
  let handle: RunHandle
  try {
    handle = await runs.start(keyed, {
      source: 'openai',
      ...(instructions !== undefined && { instructions }),
      ...(toolChoice && { toolChoice }),
      ...(previous && { previous }),
      ...(mayLeave && { signal: leaving.signal }),
    })
  } catch (error) {
    const isOfOther = RuntimeError.is(error) && error.code === 'not_found'
    throw isOfOther && given.conversation_id !== undefined ? conversationNotFound() : error
  }
  const forget = () => request.signal.removeEventListener('abort', leave)
  void handle.result.then(forget, forget)

  async function* parts(signal: AbortSignal): AsyncGenerator<AnswerPart, void> {
    try {
      yield* readParts(services, handle, { signal, isHeld: isHeld(agent, given.output_schema) })
    } finally {
      if (signal.aborted) leave()
    }
  }
  return { runId: handle.runId, answer: () => readAnswer(services, handle), parts }
}

/** The JSON of a run is checked at its end, and another try of the model replaces it. */
const isHeld = (agent: Agent | undefined, asked: RunRequest['output_schema']) =>
  (asked ?? agent?.output_schema) !== undefined

/**
 * A run that continues with the results of its calls. Its caller may go away: it waits again, or ends.
 *
 * @param schema of the answer, as the request has it
 */
export async function continueRun(
  { services }: PlatformContext,
  { runId, answered }: ContinuedRun,
  { model, schema }: { readonly model: string; readonly schema: RunRequest['output_schema'] },
): Promise<OpenRun> {
  const handle = await services.runs.attach(runId)
  return {
    runId,
    answer: () => readAnswer(services, handle),
    async *parts(signal) {
      const agent = await services.agents.find(model, signal)
      yield* readParts(services, handle, { signal, isHeld: isHeld(agent, schema), answered })
    },
  }
}

/** The same with ids that are the user's own: headers name a conversation and a key, of which others know nothing. */
async function withOwnIds(
  { conversations }: PlatformContext['services'],
  asked: RunRequest,
  request: RequestView,
  userId: string,
): Promise<RunRequest> {
  const { conversation_id: id, idempotency_key: key } = withIdempotencyKey(asked, request)
  return {
    ...asked,
    ...(id !== undefined && { conversation_id: await conversations.storedId(id, userId) }),
    ...(key !== undefined && { idempotency_key: ownId(key, userId) }),
  }
}

type Services = PlatformContext['services']

interface Reading {
  readonly signal: AbortSignal
  /** Whether only the whole answer counts. */
  readonly isHeld: boolean
  /** Waits whose answers the caller gave: what the run did before them was told. @default none */
  readonly answered?: ReadonlySet<string>
}

/** Between the texts of two turns. */
const turnBreak = '\n\n'

/** The text of every turn. The steps of the agent in between are left out. */
async function* readParts(
  services: Services,
  handle: RunHandle,
  { signal, isHeld: isJson, answered }: Reading,
): AsyncGenerator<AnswerPart, void> {
  let said = ''
  let isTurnOver = false
  const unsettled = new Set(answered)
  const say = (text: string): AnswerPart => {
    const delta = isTurnOver && said !== '' ? turnBreak + text : text
    said = isTurnOver ? text : said + text
    isTurnOver = false
    return { delta }
  }
  for await (const { event } of services.runs.events(handle.runId, 0, signal)) {
    if (unsettled.size > 0) {
      if (event.event === 'wait_settled') unsettled.delete(event.data.wait.id)
    } else if (event.event === 'assistant') {
      if (!isJson) yield say(event.data.delta)
    } else if (event.event === 'tool_start' || event.event === 'tool_call') isTurnOver = true
    else if (event.event === 'wait' || event.event === 'done' || event.event === 'error') {
      const answer = await readAnswer(services, handle)
      // an earlier wait of a run that has gone on since
      if (event.event === 'wait' && !isWaiting(answer.result)) continue
      const isSaid = !isTurnOver && said !== '' && !isWaiting(answer.result)
      const isTold = answer.toolCalls !== undefined && said !== ''
      if (!isSaid && !isTold && answer.text !== '') {
        isTurnOver = true
        yield say(answer.text)
      }
      yield { answer }
      return
    }
  }
  // the runtime is closing, or the events of the run are gone: the result says it
  const answer = await readAnswer(services, handle)
  if (said === '' && answer.text !== '') yield say(answer.text)
  yield { answer }
}

async function readAnswer({ runs }: Services, handle: RunHandle): Promise<Answer> {
  const result = await handle.result
  const { stop_reason, output, success } = result
  if (isWaiting(result)) {
    const run = await runs.find(result.run_id)
    const toolCalls = run ? openCallsOf(run) : []
    if (toolCalls.length > 0) return { result, text: output, finish: 'tool_calls', toolCalls }
    return { result, text: toWaiting(result), finish: 'stop' }
  }
  if (!success) throw toRunError(result)
  return { result, text: output, finish: stop_reason === 'max_tokens' ? 'length' : 'stop' }
}

/** There is no field for a run that waits in the OpenAI API, and an error would make clients send the task again. */
function toWaiting(result: RunResult): string {
  const what = waitsIn(result).map(({ id, kind, tool, message = '', run_id: of }) => {
    if (kind === 'approval')
      return `until a person approves or denies "${tool}" (POST /api/runs/${of}/approvals/${id})`
    const about = message === '' ? '' : `: ${message}`
    return `for ${names[kind]}${about} (POST /api/runs/${of}/waits/${id})`
  })
  return `The agent waits ${what.join(' and ')}. After that, it continues, and GET /api/runs/${result.run_id} returns its answer.`
}

const names = {
  approval: 'a decision',
  question: 'an answer',
  client_tool: 'the result of a tool',
  event: 'an event',
  login: 'a login',
  budget: 'a budget',
} as const satisfies Record<WaitKind, string>
