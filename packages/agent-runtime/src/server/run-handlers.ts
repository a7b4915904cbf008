import type { RunHandle, RunQuery } from '../runs/runs.ts'
import { sourceOf, withIdempotencyKey } from './start-headers.ts'
import { forbidden, type PlatformCaller } from './access/platform-caller.ts'
import type { PlatformContext, PlatformHandlers } from './platform-context.ts'
import { toRunReply } from './platform-errors.ts'
import { createChats } from './chat/stream-chat.ts'
import { createRunStreams, parseLastEventId } from './run-streams.ts'
import { attachmentHeader } from '@homeward/kit'
import { withFeedback } from './feedback-handlers.ts'
import { createReach } from './access/reach.ts'

type RunHandlers = Pick<
  PlatformHandlers,
  | 'runAgent'
  | 'streamAgentRun'
  | 'listRuns'
  | 'getRun'
  | 'listRunSteps'
  | 'rerun'
  | 'undoRun'
  | 'getRunUndo'
  | 'streamRunEvents'
  | 'cancelRun'
  | 'sendRunMessage'
  | 'decideApproval'
  | 'listWaits'
  | 'answerWait'
  | 'sendSignal'
>

/** A caller as waits name who settled them. */
const nameOf = ({ userId, actor }: PlatformCaller) => userId ?? (actor.startsWith('token:') ? actor : 'local')

async function toReply(started: Promise<RunHandle>) {
  const { result } = await started
  return toRunReply(await result)
}

/**
 * Runs and their streams (A4, A6, A20). A caller that goes away stops nothing: the run's own limits and `cancel` do.
 */
export function createRunHandlers(context: PlatformContext): RunHandlers {
  const { runs, graphs } = context.services
  const streams = createRunStreams(context)
  const chats = createChats(context, streams)

  async function countAs(by: ListQuery['count'], asked: RunQuery, signal: AbortSignal) {
    if (by === 'source') return { counts: { source: await runs.countBySource(asked, signal) } }
    if (by === 'time') return { times: await runs.countByTime(asked, signal) }
    return by === 'cause' ? { causes: await runs.countByCause(asked, signal) } : {}
  }

  return {
    // not async: while the run works, nothing holds its request, which may have large files
    runAgent: ({ body, request }) =>
      toReply(runs.start(withIdempotencyKey(body, request), sourceOf(request))),
    streamAgentRun: ({ body, query, caller, request }) => chats.stream(request, query, body, caller),
    async listRuns({ query, caller, request }) {
      const within = await createReach(caller, context.services).subjects()
      const asked = { ...(await toRunQuery(context, query, caller)), within }
      const { runs: found, nextCursor } = await runs.list(asked, request.signal)
      return {
        runs: await withFeedback(context, found, caller),
        ...(await countAs(query.count, asked, request.signal)),
        ...(nextCursor !== undefined && { next_cursor: nextCursor }),
      }
    },
    async getRun({ params, caller }) {
      const run = await runs.get(params.id)
      const [shown = run] = await withFeedback(context, [run], caller)
      return { run: shown }
    },
    async rerun({ params, body, request, markRepeated }) {
      const asked = withIdempotencyKey(body, request)
      const { graph_id } = await runs.get(params.id)
      const { runId, isNew } = await (graph_id === undefined ? runs : graphs).rerun(params.id, asked)
      if (!isNew) markRepeated()
      return { run: await runs.get(runId) }
    },
    undoRun: async ({ params }) => ({ ok: true, undo: await runs.undo(params.id) }),
    getRunUndo: async ({ params }) => ({ undo: await runs.findUndo(params.id) }),
    async listRunSteps({ params, query, caller, request }) {
      if (query.prompt !== undefined && caller.userId !== undefined)
        throw forbidden(
          'Getting a prompt failed: the instructions of agents are not shown to their users. Ask an administrator.',
        )
      return { steps: await runs.steps(params.id, query, request.signal) }
    },
    async streamRunEvents({ params, query, request }) {
      const sinceSeq = parseLastEventId(request, params.id)
      return streams.follow(request, query, await runs.get(params.id), sinceSeq)
    },
    cancelRun: async ({ params }) => ({ ok: true, run: await runs.cancel(params.id) }),
    async sendRunMessage({ params, body, request }) {
      return { ok: true, message: await runs.message(params.id, withIdempotencyKey(body, request)) }
    },
    async decideApproval({ params, body, caller }) {
      const by = nameOf(caller)
      return { ok: true, approval: await runs.decideApproval(params.id, params.approval_id, body, by) }
    },
    async listWaits({ query, request }) {
      const { agent_id: agentId, run_id: runId, user_id: userId, ...others } = query
      const { waits, nextCursor } = await runs.waits({ ...others, agentId, runId, userId }, request.signal)
      return { waits, ...(nextCursor !== undefined && { next_cursor: nextCursor }) }
    },
    async answerWait({ params, body, caller }) {
      return { ok: true, wait: await runs.answerWait(params.id, params.wait_id, body, nameOf(caller)) }
    },
    sendSignal: async ({ body }) => ({ ok: true, ...(await runs.signal(body)) }),
  }
}

type ListQuery = Parameters<RunHandlers['listRuns']>[0]['query']

async function toRunQuery({ services }: PlatformContext, query: ListQuery, caller: PlatformCaller) {
  const {
    q: text,
    min_cost: minCost,
    from,
    to,
    sort,
    status,
    source,
    limit,
    cursor,
    feedback,
    ...ids
  } = query
  const { conversation_id: id, user_id: userId } = ids
  return {
    agentId: ids.agent_id,
    graphId: ids.graph_id,
    userId,
    parentRunId: ids.parent_run_id,
    feedback: feedback && {
      userId: caller.userId,
      ...(feedback !== 'any' && { rating: feedback }),
    },
    conversationId: id && (await services.conversations.storedId(id, userId)),
    minCost: minCost === undefined ? undefined : Number(minCost),
    text,
    from,
    to,
    sort,
    status,
    source,
    limit,
    cursor,
  }
}

/** Stored files. Each is an attachment: no browser shows one as a page of this server. */
export function createFileHandlers({ services }: PlatformContext): Pick<PlatformHandlers, 'getFile'> {
  return {
    async getFile({ params, request }) {
      const { name, media_type, content } = await services.files.get(params.id, request.signal)
      return {
        status: 200,
        headers: {
          'content-type': media_type,
          'content-length': String(content.length),
          'content-disposition': attachmentHeader(name),
          // a copy must not outlive the file, or the right to read it
          'cache-control': 'private, no-cache',
          etag: `"${params.id}"`,
          'content-security-policy': 'sandbox',
        },
        body: toStream(content),
      }
    },
  }
}

/** The bytes piece by piece, as the caller takes them. */
function toStream(content: Uint8Array): ReadableStream<Uint8Array> {
  const pieceBytes = 64 * 1024
  let offset = 0
  return new ReadableStream({
    pull(controller) {
      if (offset >= content.length) return controller.close()
      controller.enqueue(content.subarray(offset, offset + pieceBytes))
      offset += pieceBytes
    },
  })
}
