import { longestTimerMs } from '@homeward/kit'
import { RuntimeError } from '../ports/runtime-error.ts'
import { refuseCalls } from './calls/call-events.ts'
import { saveFinish, saveWaiting, toLastEvent } from './end.ts'
import { endOf, type LiveEnd } from './live-runs.ts'
import { openSpanOf } from './loop/ask-model.ts'
import type { Run, RunEnd, RunPause, RunStop } from './loop/run.ts'
import { keepPartialTurn } from './loop/turns.ts'
import { cancelled, isGivenUp, LostRun } from './run-interrupts.ts'
import { openCalls } from './run-messages.ts'

/**
 * Does a run's work within its time, and keeps how it ended or what it waits for. Nothing is written of a run that was
 * lost or is given back. Never rejects.
 */
export async function driveRun(run: Run, work: () => Promise<RunStop>): Promise<LiveEnd> {
  const { controller } = run.own
  run.own.view = () => ({
    messages: run.writer.messages,
    spans: run.writer.spans,
    open: openSpanOf(run),
  })
  const maxMs = (run.row.limits.max_runtime ?? 600) * 1000
  const timer = setTimeout(
    () =>
      controller.abort(
        new RuntimeError(
          'timeout',
          `Running the agent failed: the run took longer than the limit of ${maxMs / 1000} s`,
        ),
      ),
    Math.min(Math.max(0, maxMs - run.progress.activeMs), longestTimerMs),
  )
  try {
    const end = await work()
    return end.stop === 'approval' ? await wait(run, end) : await finish(run, end)
  } catch (error) {
    const goesOn = toGoesOn(run, error)
    if (goesOn) {
      await run.writer.flushIfDue() // what was done is kept before the run is given back
      return goesOn
    }
    keepPartialTurn(run, run.signal.aborted ? run.signal.reason : error)
    refuseCalls(run, openCalls(run.writer.messages), 'Not called: the run ended before')
    return await finish(run, toEnd(run, error))
  } finally {
    clearTimeout(timer)
  }
}

/** Where a run goes on that was stopped without an end. */
function toGoesOn({ own, signal }: Run, error: unknown): LiveEnd | undefined {
  if (error instanceof LostRun) return { kind: 'lost' }
  if (signal.aborted) return isGivenUp(signal.reason) ? endOf(signal) : undefined
  return own.isLeaving && isGivenUp(error) ? { kind: 'given-back' } : undefined
}

async function wait(run: Run, end: RunPause): Promise<LiveEnd> {
  run.own.hasNews = false
  const result = await saveWaiting(run, end)
  // What it waits for may have ended before it waited: then nobody else lets it go on.
  for (const { runId } of end.suspended) {
    const other = await run.context.store.findRun(runId).catch(() => undefined)
    if (!other || (other.status !== 'waiting' && other.status !== 'running')) run.own.hasNews = true
  }
  return { kind: 'stopped', result, isWaiting: true }
}

function toEnd(run: Run, cause: unknown): RunEnd {
  if (run.signal.aborted) {
    const reason: unknown = run.signal.reason
    const isOver = RuntimeError.is(reason) && reason.code === 'timeout'
    if (isOver) return { stop: 'max_runtime', error: reason }
    const error = RuntimeError.is(reason) ? reason : cancelled()
    return { stop: 'cancelled', error: error.code === 'cancelled' ? error : cancelled() }
  }
  if (RuntimeError.is(cause))
    return { stop: cause.code === 'cancelled' ? 'cancelled' : 'error', error: cause }
  run.context.logger.error('A run failed unexpectedly', {
    runId: run.row.id,
    error: run.redact.text(String(cause)),
  })
  return {
    stop: 'error',
    error: new RuntimeError('run_error', 'Running the agent failed: an unexpected error', { cause }),
  }
}

async function finish(run: Run, end: RunEnd): Promise<LiveEnd> {
  const { context } = run
  try {
    const result = await saveFinish(context, run, end, context.leases.owner)
    return result ? { kind: 'stopped', result } : { kind: 'lost' }
  } catch (cause) {
    context.logger.error('Saving the result of a run failed', { runId: run.row.id, error: String(cause) })
    const error = new RuntimeError(
      'storage_error',
      'Running the agent failed: its result could not be saved',
      {
        cause,
      },
    )
    const result = run.result({ stop: 'error', error })
    // Those who listen hear of it all the same; the stored run goes on when its lease is over.
    run.log.push(toLastEvent(result))
    run.log.close()
    return { kind: 'stopped', result, isKept: false }
  }
}
