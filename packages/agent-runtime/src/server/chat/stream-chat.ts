import type { ApprovalDecision, ChatDecisions, Run, RunRequest } from '@homeward/contract/agent-platform'
import { HttpError, type ErrorBody, type PlainReply, type RequestView } from '@homeward/contract/handler'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { shownId } from '../../store/own-conversation.ts'
import type { PlatformCaller } from '../access/platform-caller.ts'
import type { PlatformContext } from '../platform-context.ts'
import type { RunStreams, StreamQuery } from '../run-streams.ts'
import { sourceOf, withIdempotencyKey } from '../start-headers.ts'

/** What chats post, for each address that they post to. */
interface Chats {
  /** Starts the run that a body asks for, or decides what it decides, and streams what comes of it. */
  stream(
    request: RequestView,
    query: StreamQuery,
    body: RunRequest | ChatDecisions,
    caller: PlatformCaller | undefined,
  ): Promise<PlainReply>
}

export function createChats(context: PlatformContext, streams: RunStreams): Chats {
  const { runs } = context.services
  return {
    async stream(request, query, body, caller) {
      if ('decisions' in body) {
        const run = await decideFromChat(context, request, body, caller)
        const outputs = await answerFromChat(context, run, body)
        const settled = [...body.decisions.map((one) => one.approval_id), ...outputs]
        return streams.proceed(request, query, run, new Set(settled))
      }
      return streams.start(request, query, {
        agentId: body.agent_id,
        userId: caller?.userId,
        isSame: (run) =>
          run.agent_id === body.agent_id &&
          run.task === body.task &&
          run.user_id === body.user_id &&
          // a run that named none was given one
          (body.conversation_id === undefined || shownId(body.conversation_id) === run.conversation_id),
        start: () => runs.start(withIdempotencyKey(body, request), sourceOf(request)),
      })
    },
  }
}

/**
 * Decides about calls as a chat of the AI SDK posts it (A6, A20). Each decision is a request to `decideApproval` in the caller's name:
 * who may start runs may not be one who may approve calls. Earlier decisions stay as they are, also if they differ: the
 * stream shows what became of the call.
 *
 * @throws {RuntimeError} `not_found` if the agent has no such run
 * @throws {HttpError} what `decideApproval` answers
 */
async function decideFromChat(
  { services: { runs }, respond }: PlatformContext,
  request: RequestView,
  { run_id, agent_id, decisions }: ChatDecisions,
  caller: PlatformCaller | undefined,
): Promise<Run> {
  const run = await runs.find(run_id)
  if (!run || run.agent_id !== agent_id || (caller?.userId ?? run.user_id) !== run.user_id) {
    throw new RuntimeError(
      'not_found',
      'Deciding tool calls failed: the agent has no run with the id of this message. Reload the conversation.',
    )
  }
  for (const { approval_id, approved, reason } of decisions) {
    const path = `/api/runs/${encodeURIComponent(run_id)}/approvals/${encodeURIComponent(approval_id)}`
    const decision: ApprovalDecision = approved
      ? { decision: 'approve' }
      : { decision: 'deny', ...(reason !== undefined && { reason }) }
    await answerAsCaller({ respond }, request, path, decision).catch((error: unknown) => {
      if (!(error instanceof HttpError) || error.status !== 409) throw error
    })
  }
  return run
}

/**
 * Answers calls of the page with what the page sent. Earlier answers stay as they are: the stream shows what the run has.
 *
 * @returns the waits that the page has outputs of
 * @throws {RuntimeError} `not_found` if the run has no such call
 */
async function answerFromChat(
  { services: { runs } }: PlatformContext,
  run: Run,
  { decisions, outputs = [] }: ChatDecisions,
): Promise<string[]> {
  const byId = new Map(run.waits.map((wait) => [wait.id, wait]))
  const own = outputs.filter(
    ({ wait_id: id }) => byId.get(id)?.kind === 'client_tool' && byId.get(id)?.run_id === run.id,
  )
  if (own.length === 0 && decisions.length === 0) throw unknownCall()
  for (const { wait_id: id, data } of own) {
    if (byId.get(id)?.status !== 'open') continue
    await runs.answerWait(run.id, id, { data }).catch((error: unknown) => {
      if (!RuntimeError.is(error) || error.code !== 'conflict') throw error
    })
  }
  return own.map(({ wait_id: id }) => id)
}

const unknownCall = () =>
  new RuntimeError(
    'not_found',
    'Answering a call failed: the run of this message has no such call. Reload the conversation.',
  )

/** Posts an answer of a person in the name of the caller. @throws {HttpError} what the operation answers */
export async function answerAsCaller(
  { respond }: Pick<PlatformContext, 'respond'>,
  request: RequestView,
  path: string,
  answer: object,
): Promise<void> {
  const reply = await respond(toRequest(request, path, JSON.stringify(answer)))
  if (reply.status !== 200) throw toError(reply)
}

/** The same caller, who asks for something else. */
function toRequest(outer: RequestView, path: string, body: string): RequestView {
  const bytes = new TextEncoder().encode(body)
  const own: Readonly<Record<string, string | undefined>> = {
    'content-type': 'application/json',
    'content-length': String(bytes.length),
    'content-encoding': undefined,
    'transfer-encoding': undefined,
    'idempotency-key': undefined,
  }
  return {
    method: 'POST',
    path,
    search: '',
    origin: outer.origin,
    remoteAddress: outer.remoteAddress,
    signal: outer.signal,
    header: (name) => (Object.hasOwn(own, name) ? own[name] : outer.header(name)),
    async *body() {
      yield bytes
    },
  }
}

function toError({ status, body, headers }: PlainReply): HttpError {
  const { 'retry-after': retryAfter, 'www-authenticate': challenge } = headers
  const kept = {
    ...(retryAfter && { 'retry-after': retryAfter }),
    ...(challenge && { 'www-authenticate': challenge }),
  }
  // the handler's own error body
  const parsed = JSON.parse(typeof body === 'string' ? body : '{}') as ErrorBody
  return new HttpError(status, parsed, kept)
}
