import { RuntimeError } from '../ports/runtime-error.ts'
import { cancelRun, forwardAbort } from './cancel-run.ts'
import { createArgumentChecks } from './calls/check-arguments.ts'
import { closeRuns } from './close-runs.ts'
import { createApprovals } from './approvals/create-approvals.ts'
import { createApprovalExpiry } from './approvals/expire-approvals.ts'
import { cancelled } from './drive-run.ts'
import { countRunsBySource, findRun, listRuns } from './find-run.ts'
import { createLiveRuns } from './live-runs.ts'
import { createRunRecovery } from './recovery/run-recovery.ts'
import { readEvents } from './events/read-events.ts'
import { createRunWatchers } from './events/run-watchers.ts'
import type { EndedRun, GraphHandle, Runs } from './runs.ts'
import { toRunsContext, type RunsOptions } from './runs-options.ts'
import { readSteps } from './trace/read-steps.ts'
import { startGraph } from './graphs/start-graph.ts'
import { createRunStarts } from './run-starts.ts'
import { createRunStarter } from './run-starter.ts'
import type { RunsParts } from './runs-parts.ts'

export type { NumberedRunEvent, RunEventsOptions, RunHandle, Runs, RunStartOptions } from './runs.ts'
export type { RunsOptions } from './runs-options.ts'

/**
 * Builds the runs of agents and graphs over a store (A4 to A6, A8, A10, A20, A21).
 *
 * @example
 * const runs = createRuns({ store, agents, models, tools, workspace: async (id) => `/data/workspaces/${id}` })
 * const { result } = await runs.start({ agent_id: 'helper', task: 'What time is it?' })
 * console.log((await result).output)
 * await runs.close()
 */
export function createRuns(options: RunsOptions): Runs {
  const context = toRunsContext(options)
  const { store } = context
  const watchers = createRunWatchers()
  const live = createLiveRuns(watchers, context, cancelled)
  const closing = new AbortController()
  const closed = new AbortController()
  const listeners = new Set<(run: EndedRun) => void>()
  const parts: RunsParts = {
    context,
    live,
    watchers,
    checks: createArgumentChecks(),
    closing: closing.signal,
    onEnded: (run) => tellAll(listeners, run, context),
  }
  const starter = createRunStarter(parts)
  const recovery = createRunRecovery(parts, starter)
  const expiry = createApprovalExpiry(parts, starter)
  const unsubscribe = store.subscribe((signal) => {
    if (signal.topic === 'run') watchers.notify(signal.runId)
  })
  let ending: Promise<void> | undefined

  function assertOpen(): void {
    if (closing.signal.aborted)
      throw new RuntimeError('closed', 'Using the runs failed: the runtime was closed. Create another one.')
  }

  async function ready(): Promise<void> {
    assertOpen()
    await recovery.recover()
    assertOpen()
    expiry.start()
  }

  const cancel = (id: string) => cancelRun(parts, starter, assertOpen, id)

  return {
    recover: ready,
    ...createRunStarts(parts, starter, { ready, assertOpen, cancel }),
    async startGraph(run, journal, signal): Promise<GraphHandle> {
      await ready()
      signal?.throwIfAborted()
      const handle = await startGraph(parts, starter, run, journal)
      forwardAbort(parts, handle.runId, signal, handle.result, cancel)
      return handle
    },
    async find(id) {
      await ready()
      return findRun(context, id)
    },
    async steps(id) {
      await ready()
      return readSteps(context, live, id)
    },
    async list(query = {}, signal) {
      await ready()
      return listRuns(context, query, signal)
    },
    async countBySource(query = {}, signal) {
      await ready()
      return countRunsBySource(context, query, signal)
    },
    async *events(runId, sinceSeq, signal, given) {
      assertOpen()
      await recovery.recover()
      yield* readEvents({ ...parts, closed: closed.signal }, runId, sinceSeq, signal, given)
    },
    async cancel(id) {
      await ready()
      return cancel(id)
    },
    ...createApprovals(parts, starter, ready),
    onEnded(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close: () =>
      (ending ??= closeRuns(parts, [recovery, expiry], { closing, closed }, unsubscribe, !options.leases)),
  }
}

function tellAll(
  listeners: ReadonlySet<(run: EndedRun) => void>,
  { id, parentRunId }: EndedRun,
  { logger }: { readonly logger: RunsOptions['logger'] },
): void {
  const run = parentRunId === undefined ? { id } : { id, parentRunId }
  for (const listener of listeners) {
    try {
      listener(run)
    } catch (error) {
      logger?.error('A listener for ended runs failed', { error: String(error) })
    }
  }
}
