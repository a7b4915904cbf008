import { RuntimeError } from '../runtime-error.ts'
import { createArgumentChecks } from './check-arguments.ts'
import { cancelled } from './drive-run.ts'
import { createLiveRuns } from './live-runs.ts'
import { readEvents } from './read-events.ts'
import { createRunWatchers } from './run-watchers.ts'
import type { Runs } from './runs.ts'
import { toRunsContext, type RunsOptions } from './runs-options.ts'
import { toApproval } from './save-run.ts'
import { createStart } from './start-run.ts'
import { createStoredRuns } from './stored-runs.ts'

export type { NumberedRunEvent, RunHandle, Runs, RunStartOptions } from './runs.ts'
export type { RunsOptions } from './runs-options.ts'

/** How long closing waits for tools that take their time to stop. */
const closeGraceMs = 5000
/** How long closing waits for readers to take the last events of their runs. */
const readerGraceMs = 500

/**
 * Builds the runs of agents over a store (A4, A5, A6, A20, A21).
 *
 * @example
 * const runs = createRuns({ store, agents, models, tools, workspace: async (id) => `/data/workspaces/${id}` })
 * const { result } = await runs.start({ agent_id: 'helper', task: 'What time is it?' })
 * console.log((await result).output)
 * await runs.close()
 */
export function createRuns(options: RunsOptions): Runs {
  const context = toRunsContext(options)
  const watchers = createRunWatchers()
  const live = createLiveRuns(watchers)
  const closing = new AbortController()
  const closed = new AbortController()
  const parts = { context, live, watchers, checks: createArgumentChecks(), closing: closing.signal }
  const stored = createStoredRuns(parts)
  const startRun = createStart(parts, assertOpen)

  function assertOpen(): void {
    if (closing.signal.aborted) throw new RuntimeError('closed', 'Using the runs: the runtime was closed')
  }

  async function ready(): Promise<void> {
    assertOpen()
    await stored.recover()
    assertOpen()
  }

  return {
    recover: ready,
    async start(request, given) {
      await ready()
      return startRun(request, given)
    },
    async find(id) {
      await ready()
      return stored.find(id)
    },
    async *events(runId, sinceSeq, signal) {
      assertOpen()
      await stored.recover()
      yield* readEvents({ ...parts, closed: closed.signal }, runId, sinceSeq, signal)
    },
    async cancel(id) {
      await ready()
      const own = live.get(id)
      own?.controller.abort(cancelled())
      await own?.result
      if (!own) await stored.cancelWaiting(id)
      const run = await stored.find(id)
      if (run) return run
      throw new RuntimeError('not_found', 'Cancelling a run: there is no run with this id')
    },
    async decideApproval(runId, approvalId, decision) {
      await ready()
      return toApproval(await stored.decide(runId, approvalId, decision))
    },
    async close() {
      closing.abort(new RuntimeError('closed', 'Using the runs: the runtime was closed'))
      await live.close()
      watchers.ringAll()
      await watchers.gone(readerGraceMs)
      closed.abort()
      await context.strays.settled(closeGraceMs)
    },
  }
}
