import type { Run } from '@homeward/contract/agent-platform'
import type { RunHandle } from '../runs/runs.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { withIdempotencyKey } from './idempotency-key.ts'
import type { PlatformContext, PlatformHandlers } from './platform-context.ts'
import { toRunReply } from './platform-errors.ts'
import { createRunStreams, parseLastEventId } from './run-streams.ts'

type RunHandlers = Pick<
  PlatformHandlers,
  'runAgent' | 'streamAgentRun' | 'listRuns' | 'getRun' | 'streamRunEvents' | 'cancelRun' | 'decideApproval'
>

async function toReply(started: Promise<RunHandle>) {
  const { result } = await started
  return toRunReply(await result)
}

/**
 * Runs and their streams (A4, A6, A20). A caller that goes away stops nothing: the run's own limits and `cancel` do.
 */
export function createRunHandlers(context: PlatformContext): RunHandlers {
  const { runs } = context.services
  const streams = createRunStreams(context)

  async function find(id: string): Promise<Run> {
    const run = await runs.find(id)
    if (run) return run
    throw new RuntimeError('not_found', 'Getting a run failed: there is none with this id.')
  }

  return {
    // not async: while the run works, nothing holds its request, which may have large files
    runAgent: ({ body, request }) => toReply(runs.start(withIdempotencyKey(body, request))),
    streamAgentRun: async ({ body, query, request }) =>
      streams.start(request, query, {
        isSame: (run) =>
          run.agent_id === body.agent_id &&
          run.task === body.task &&
          run.user_id === body.user_id &&
          // a run that named none was given one
          (body.conversation_id ?? run.conversation_id) === run.conversation_id,
        start: () => runs.start(withIdempotencyKey(body, request)),
      }),
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
      const sinceSeq = parseLastEventId(request, params.id)
      return streams.follow(request, query, await find(params.id), sinceSeq)
    },
    cancelRun: async ({ params }) => ({ ok: true, run: await runs.cancel(params.id) }),
    async decideApproval({ params, body }) {
      return { ok: true, approval: await runs.decideApproval(params.id, params.approval_id, body) }
    },
  }
}
