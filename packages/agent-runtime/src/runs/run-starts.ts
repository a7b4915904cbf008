import type { RunResult } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../ports/runtime-error.ts'
import { forwardAbort } from './cancel-run.ts'
import { followRun } from './events/follow-run.ts'
import type { LiveRun } from './live-runs.ts'
import { rerun } from './rerun/rerun.ts'
import type { RunHandle, Runs } from './runs.ts'
import type { RunsParts } from './runs-parts.ts'
import type { RunStarter } from './run-starter.ts'
import { startRun, toHandle } from './start-run.ts'

/** What starts need of the runs. */
export interface RunGates {
  readonly ready: () => Promise<void>
  readonly assertOpen: () => void
  readonly cancel: Runs['cancel']
}

/** The methods of {@link Runs} that start runs of agents, or join them. */
export function createRunStarts(
  parts: RunsParts,
  starter: RunStarter,
  { ready, assertOpen, cancel }: RunGates,
): Pick<Runs, 'start' | 'rerun' | 'attach'> {
  const { store } = parts.context
  // the run of an agent has an agent's result
  const resultOf = (...[id, own, signal]: [string, LiveRun?, AbortSignal?]) =>
    followRun(parts, starter, id, own, signal) as Promise<RunResult>

  return {
    async start(request, given = {}): Promise<RunHandle> {
      await ready()
      const { run, own } = await startRun(parts, starter, assertOpen, request, given)
      const result = resultOf(run.id, own)
      forwardAbort(parts, run.id, given.signal, result, cancel)
      return toHandle(run, result)
    },
    async rerun(id, asked = {}) {
      await ready()
      const { run, own, isNew } = await rerun(parts, starter, assertOpen, id, asked)
      return { ...toHandle(run, resultOf(run.id, own)), isNew }
    },
    async attach(runId, signal): Promise<RunHandle> {
      await ready()
      const run = await store.findRun(runId, signal)
      if (!run)
        throw new RuntimeError(
          'not_found',
          'Joining a run failed: no run has this id. List the runs to find it.',
        )
      if (run.kind !== 'agent') {
        throw new RuntimeError(
          'validation_error',
          'Joining a run failed: the run belongs to a graph. Use a run of an agent.',
        )
      }
      return toHandle(run, resultOf(runId, undefined, signal))
    },
  }
}
