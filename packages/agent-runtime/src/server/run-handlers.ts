import type { RunHandle } from '../runs/runs.ts'
import { withIdempotencyKey } from './idempotency-key.ts'
import { sourceOf } from './run-source.ts'
import { decideFromChat } from './decide-from-chat.ts'
import type { PlatformContext, PlatformHandlers } from './platform-context.ts'
import { toRunReply } from './platform-errors.ts'
import { createRunStreams, parseLastEventId } from './run-streams.ts'

type RunHandlers = Pick<
  PlatformHandlers,
  | 'runAgent'
  | 'streamAgentRun'
  | 'listRuns'
  | 'getRun'
  | 'listRunSteps'
  | 'rerun'
  | 'streamRunEvents'
  | 'cancelRun'
  | 'decideApproval'
>

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

  return {
    // not async: while the run works, nothing holds its request, which may have large files
    runAgent: ({ body, request }) =>
      toReply(runs.start(withIdempotencyKey(body, request), sourceOf(request))),
    async streamAgentRun({ body, query, request }) {
      if ('decisions' in body) {
        const run = await decideFromChat(context, request, body)
        return streams.proceed(request, query, run, new Set(body.decisions.map((one) => one.approval_id)))
      }
      return streams.start(request, query, {
        isSame: (run) =>
          run.agent_id === body.agent_id &&
          run.task === body.task &&
          run.user_id === body.user_id &&
          // a run that named none was given one
          (body.conversation_id ?? run.conversation_id) === run.conversation_id,
        start: () => runs.start(withIdempotencyKey(body, request), sourceOf(request)),
      })
    },
    async listRuns({ query, request }) {
      const asked = toRunQuery(query)
      const { runs: found, nextCursor } = await runs.list(asked, request.signal)
      const source = query.count === 'source' && (await runs.countBySource(asked, request.signal))
      return {
        runs: found,
        ...(source && { counts: { source } }),
        ...(nextCursor !== undefined && { next_cursor: nextCursor }),
      }
    },
    getRun: async ({ params }) => ({ run: await runs.get(params.id) }),
    async rerun({ params, body, request, markRepeated }) {
      const asked = withIdempotencyKey(body, request)
      const { graph_id } = await runs.get(params.id)
      const { runId, isNew } = await (graph_id === undefined ? runs : graphs).rerun(params.id, asked)
      if (!isNew) markRepeated()
      return { run: await runs.get(runId) }
    },
    listRunSteps: async ({ params }) => ({ steps: await runs.steps(params.id) }),
    async streamRunEvents({ params, query, request }) {
      const sinceSeq = parseLastEventId(request, params.id)
      return streams.follow(request, query, await runs.get(params.id), sinceSeq)
    },
    cancelRun: async ({ params }) => ({ ok: true, run: await runs.cancel(params.id) }),
    async decideApproval({ params, body }) {
      return { ok: true, approval: await runs.decideApproval(params.id, params.approval_id, body) }
    },
  }
}

type ListQuery = Parameters<RunHandlers['listRuns']>[0]['query']

function toRunQuery({
  q: text,
  min_cost: minCost,
  from,
  to,
  sort,
  status,
  source,
  limit,
  cursor,
  ...ids
}: ListQuery) {
  return {
    agentId: ids.agent_id,
    graphId: ids.graph_id,
    parentRunId: ids.parent_run_id,
    conversationId: ids.conversation_id,
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
