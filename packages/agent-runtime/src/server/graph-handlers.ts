import { withIdempotencyKey } from './idempotency-key.ts'
import { sourceOf } from './run-source.ts'
import type { PlatformContext, PlatformHandlers } from './platform-context.ts'
import { toGraphReply } from './platform-errors.ts'
import { createRunStreams } from './run-streams.ts'

type GraphHandlers = Pick<
  PlatformHandlers,
  'listGraphs' | 'createGraph' | 'getGraph' | 'updateGraph' | 'deleteGraph' | 'runGraph' | 'streamGraphRun'
>

/** Graphs and their runs (A10). A caller that goes away stops nothing: `cancel` does. */
export function createGraphHandlers(context: PlatformContext): GraphHandlers {
  const { graphs } = context.services
  const streams = createRunStreams(context)

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
    runGraph: async ({ body, request }) =>
      toGraphReply(await graphs.run(withIdempotencyKey(body, request), sourceOf(request))),
    streamGraphRun: async ({ body, query, request }) =>
      streams.start(request, query, {
        isGraph: true,
        isSame: (run) =>
          run.graph_id === body.graph_id && run.task === body.input && run.user_id === body.user_id,
        start: () => graphs.start(withIdempotencyKey(body, request), sourceOf(request)),
      }),
  }
}
