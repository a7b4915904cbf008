import type { Run, RunRequest } from '@homeward/contract/agent-platform'
import type { RequestView } from '@homeward/contract/handler'
import { RuntimeError } from '../runtime-error.ts'
import type { PlatformContext, PlatformHandlers } from './platform-context.ts'
import { toRunReply } from './platform-errors.ts'
import { parseLastEventId, splitEventId, toRunStream } from './run-stream.ts'

type RunHandlers = Pick<
  PlatformHandlers,
  'runAgent' | 'streamAgentRun' | 'listRuns' | 'getRun' | 'streamRunEvents' | 'cancelRun' | 'decideApproval'
>

/**
 * Runs and their streams (A4, A6, A20). A caller that goes away stops nothing: the run's own limits and `cancel` do.
 */
export function createRunHandlers(context: PlatformContext): RunHandlers {
  const { runs } = context.runtime

  async function find(id: string): Promise<Run> {
    const run = await runs.find(id)
    if (run) return run
    throw new RuntimeError('not_found', 'Getting a run: there is none with this id.')
  }

  /** A client that lost its stream may send its request again, with the last event that it saw. */
  async function findStarted(body: RunRequest, request: RequestView) {
    const { id, seq } = splitEventId(request.header('last-event-id') ?? '')
    if (id === undefined || seq === undefined) return undefined
    const run = await runs.find(id)
    return run?.agent_id === body.agent_id && run.task === body.task ? { id, seq } : undefined
  }

  const answer = (runId: string, sinceSeq: number, format: 'events' | 'ui', request: RequestView) =>
    toRunStream({
      runId,
      format,
      request,
      events: (signal) => runs.events(runId, sinceSeq, signal),
      keepaliveMs: context.keepaliveMs,
      onError: context.onError,
    })

  return {
    async runAgent({ body, request }) {
      const { result } = await runs.start(withKey(body, request))
      return toRunReply(await result)
    },
    async streamAgentRun({ body, query, request }) {
      const { format = 'events' } = query
      const started = await findStarted(body, request)
      if (started) return answer(started.id, format === 'ui' ? 0 : started.seq, format, request)
      const { runId } = await runs.start(withKey(body, request))
      return answer(runId, 0, format, request)
    },
    async listRuns({ query, request }) {
      const { agent_id: agentId, graph_id: graphId, status, limit, cursor } = query
      const { conversation_id: conversationId, parent_run_id: parentRunId } = query
      const found = await runs.list(
        { agentId, graphId, parentRunId, conversationId, status, limit, cursor },
        request.signal,
      )
      return { runs: found.runs, ...(found.nextCursor !== undefined && { next_cursor: found.nextCursor }) }
    },
    getRun: async ({ params }) => ({ run: await find(params.id) }),
    async streamRunEvents({ params, query, request }) {
      const { format = 'events' } = query
      // a page that joins needs the message from its start
      const sinceSeq = format === 'ui' ? 0 : parseLastEventId(request, params.id)
      const { id } = await find(params.id)
      return answer(id, sinceSeq, format, request)
    },
    cancelRun: async ({ params }) => ({ ok: true, run: await runs.cancel(params.id) }),
    async decideApproval({ params, body }) {
      return { ok: true, approval: await runs.decideApproval(params.id, params.approval_id, body) }
    },
  }
}

/** The key of the body, or else the one of the header. */
function withKey(body: RunRequest, request: RequestView): RunRequest {
  const key = body.idempotency_key ?? request.header('idempotency-key')
  return key === undefined ? body : { ...body, idempotency_key: key.slice(0, 200) }
}
