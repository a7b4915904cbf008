import type { RunResult } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../runtime-error.ts'
import { openCalls, type ActiveRun } from './active-run.ts'
import { refuseCalls } from './run-calls.ts'
import { keepPartialTurn, type RunEnd } from './run-turns.ts'
import type { RunsContext } from './runs-options.ts'
import { saveFinish, saveWaiting, toLastEvent, toResult } from './save-run.ts'

const longestTimerMs = 2_147_483_647

/**
 * Does a run's work within its time, and keeps how it ended or what it waits for. Never rejects.
 *
 * @param controller aborts the run's signal when its time is over.
 */
export async function driveRun(
  context: RunsContext,
  run: ActiveRun,
  controller: AbortController,
  work: () => Promise<RunEnd>,
): Promise<RunResult> {
  const maxMs = (run.run.limits.max_runtime ?? 600) * 1000
  const timer = setTimeout(
    () =>
      controller.abort(
        new RuntimeError('timeout', `Running the agent: it took longer than ${maxMs / 1000} s`),
      ),
    Math.min(Math.max(0, maxMs - run.activeBeforeMs), longestTimerMs),
  )
  try {
    const end = await work()
    if (end.stop === 'approval') return await saveWaiting(context, run, end.waiting)
    return await finish(context, run, end)
  } catch (error) {
    keepPartialTurn(context, run)
    refuseCalls(context, run, openCalls(run.messages), 'Not called: the run ended before')
    return await finish(context, run, toEnd(context, run, error))
  } finally {
    clearTimeout(timer)
  }
}

function toEnd(context: RunsContext, run: ActiveRun, cause: unknown): Exclude<RunEnd, { stop: 'approval' }> {
  if (run.signal.aborted) {
    const reason: unknown = run.signal.reason
    const isOver = RuntimeError.is(reason) && reason.code === 'timeout'
    if (isOver) return { stop: 'max_runtime', error: reason }
    const error = RuntimeError.is(reason) ? reason : cancelled()
    return { stop: 'cancelled', error: error.code === 'cancelled' ? error : cancelled() }
  }
  if (RuntimeError.is(cause))
    return { stop: cause.code === 'cancelled' ? 'cancelled' : 'error', error: cause }
  context.logger.error('A run failed unexpectedly', {
    runId: run.run.id,
    error: run.redact.text(String(cause)),
  })
  return {
    stop: 'error',
    error: new RuntimeError('run_error', 'Running the agent: it failed unexpectedly', { cause }),
  }
}

/** What cancels a run. */
export const cancelled = () => new RuntimeError('cancelled', 'Running the agent: the run was cancelled')

async function finish(
  context: RunsContext,
  run: ActiveRun,
  end: Exclude<RunEnd, { stop: 'approval' }>,
): Promise<RunResult> {
  try {
    return await saveFinish(context, run, end)
  } catch (cause) {
    context.logger.error('The end of a run could not be kept', { runId: run.run.id, error: String(cause) })
    const error = new RuntimeError('storage_error', 'Running the agent: how it ended could not be kept', {
      cause,
    })
    const result = toResult(run, { stop: 'error', error })
    // Those who listen hear of it all the same; the next start of the platform settles the stored run.
    run.log.push(toLastEvent(result))
    run.log.close()
    return result
  }
}
