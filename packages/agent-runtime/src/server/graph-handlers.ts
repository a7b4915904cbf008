import type { GraphRunRequest } from '@homeward/contract/agent-platform'
import type { RequestView } from '@homeward/contract/handler'
import type { PlatformContext, PlatformHandlers } from './platform-context.ts'
import { toGraphReply } from './platform-errors.ts'
import { splitEventId, toRunStream } from './run-stream.ts'

type GraphHandlers = Pick<
  PlatformHandlers,
  'listGraphs' | 'createGraph' | 'getGraph' | 'updateGraph' | 'deleteGraph' | 'runGraph' | 'streamGraphRun'
>

/** Graphs and their runs (A10). A caller that goes away stops nothing: `cancel` does. */
export function createGraphHandlers(context: PlatformContext): GraphHandlers {
  const { graphs, runs } = context.runtime

  /** A client that lost its stream may send its request again, with the last event that it saw. */
  async function findStarted(body: GraphRunRequest, request: RequestView) {
    const { id, seq } = splitEventId(request.header('last-event-id') ?? '')
    if (id === undefined || seq === undefined) return undefined
    const run = await runs.find(id)
    return run?.graph_id === body.graph_id && run.task === body.input ? { id, seq } : undefined
  }

  const answer = (runId: string, sinceSeq: number, request: RequestView) =>
    toRunStream({
      runId,
      format: 'events',
      request,
      events: (signal) => runs.events(runId, sinceSeq, signal),
      keepaliveMs: context.keepaliveMs,
      onError: context.onError,
    })

  return {
    listGraphs: async ({ request }) => ({ graphs: await graphs.list(request.signal) }),
    createGraph: async ({ body, request }) => ({
      ok: true,
      graph: await graphs.create(body, request.signal),
    }),
    getGraph: async ({ params, request }) => ({ graph: await graphs.get(params.id, request.signal) }),
    updateGraph: async ({ params, body, request }) => ({
      ok: true,
      graph: await graphs.update(params.id, body, request.signal),
    }),
    async deleteGraph({ params, request }) {
      await graphs.delete(params.id, request.signal)
      return { ok: true }
    },
    runGraph: async ({ body, request }) => toGraphReply(await graphs.run(withKey(body, request))),
    async streamGraphRun({ body, request }) {
      const started = await findStarted(body, request)
      if (started) return answer(started.id, started.seq, request)
      const { runId } = await graphs.start(withKey(body, request))
      return answer(runId, 0, request)
    },
  }
}

/** The key of the body, or else the one of the header. */
function withKey(body: GraphRunRequest, request: RequestView): GraphRunRequest {
  const key = body.idempotency_key ?? request.header('idempotency-key')
  return key === undefined ? body : { ...body, idempotency_key: key.slice(0, 200) }
}
