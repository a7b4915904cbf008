import { longestTimerMs } from '@homeward/kit'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { ActiveRun } from './active-run.ts'
import { isGivenUp, LostRun } from './run-interrupts.ts'
import { endOf, type LiveEnd } from './live-runs.ts'
import { refuseCalls } from './calls/call-results.ts'
import { openCalls } from './run-messages.ts'
import { openSpanOf } from './trace/model-spans.ts'
import { keepPartialTurn, type RunEnd, type RunPause, type RunStop } from './turns/run-turns.ts'
import type { RunsContext } from './runs-options.ts'
import { saveFinish, saveWaiting } from './persistence/save-run.ts'
import { toLastEvent, toResult } from './persistence/run-result.ts'

/**
 * Does a run's work within its time, and keeps how it ended or what it waits for. Nothing is written of a run that was
 * lost or is given back. Never rejects.
 */
export async function driveRun(
  context: RunsContext,
  run: ActiveRun,
  work: () => Promise<RunStop>,
): Promise<LiveEnd> {
  const { controller } = run.own
  run.own.view = () => ({
    messages: run.writer.messages,
    spans: run.writer.spans.all,
    open: openSpanOf(run),
  })
  const maxMs = (run.run.limits.max_runtime ?? 600) * 1000
  const timer = setTimeout(
    () =>
      controller.abort(
        new RuntimeError(
          'timeout',
          `Running the agent failed: the run took longer than the limit of ${maxMs / 1000} s`,
        ),
      ),
    Math.min(Math.max(0, maxMs - run.activeBeforeMs), longestTimerMs),
  )
  try {
    const end = await work()
    return end.stop === 'approval' ? await wait(context, run, end) : await finish(context, run, end)
  } catch (error) {
    const goesOn = toGoesOn(run, error)
    if (goesOn) {
      await run.writer.flushIfDue() // what was done is kept before the run is given back
      return goesOn
    }
    keepPartialTurn(context, run, run.signal.aborted ? run.signal.reason : error)
    refuseCalls(run, openCalls(run.writer.messages), 'Not called: the run ended before')
    return await finish(context, run, toEnd(context, run, error))
  } finally {
    clearTimeout(timer)
  }
}

/** Where a run goes on that was stopped without an end. */
function toGoesOn({ own, signal }: ActiveRun, error: unknown): LiveEnd | undefined {
  if (error instanceof LostRun) return { kind: 'lost' }
  if (signal.aborted) return isGivenUp(signal.reason) ? endOf(signal) : undefined
  return own.isLeaving && isGivenUp(error) ? { kind: 'given-back' } : undefined
}

async function wait(context: RunsContext, run: ActiveRun, end: RunPause): Promise<LiveEnd> {
  run.own.hasNews = false
  const result = await saveWaiting(context, run, end)
  // What it waits for may have ended before it waited: then nobody else lets it go on.
  for (const { runId } of end.suspended) {
    const other = await context.store.findRun(runId).catch(() => undefined)
    if (!other || (other.status !== 'waiting' && other.status !== 'running')) run.own.hasNews = true
  }
  return { kind: 'stopped', result, isWaiting: true }
}

function toEnd(context: RunsContext, run: ActiveRun, cause: unknown): RunEnd {
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
    error: new RuntimeError('run_error', 'Running the agent failed: an unexpected error', { cause }),
  }
}

/** What cancels a run. */
export const cancelled = () => new RuntimeError('cancelled', 'Running the agent failed: the run was canceled')

async function finish(context: RunsContext, run: ActiveRun, end: RunEnd): Promise<LiveEnd> {
  try {
    const result = await saveFinish(context, run, end, context.leases.owner)
    return result ? { kind: 'stopped', result } : { kind: 'lost' }
  } catch (cause) {
    context.logger.error('Saving the result of a run failed', { runId: run.run.id, error: String(cause) })
    const error = new RuntimeError(
      'storage_error',
      'Running the agent failed: its result could not be saved',
      {
        cause,
      },
    )
    const result = toResult(run, { stop: 'error', error })
    // Those who listen hear of it all the same; the stored run goes on when its lease is over.
    run.log.push(toLastEvent(result))
    run.log.close()
    return { kind: 'stopped', result, isKept: false }
  }
}
