import type { RunResult } from '@homeward/contract/agent-platform'
import type { StoredAgentRun, StoredRun } from '../../store/ports/run-store.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { whileStoreFails } from '../../concurrency/while-store-fails.ts'
import { createAgentRunState } from '../active-run.ts'
import { refuseCalls } from '../calls/call-results.ts'
import { continueRun } from './continue-run.ts'
import { isGivenUp, LostRun } from '../run-interrupts.ts'
import { endOf, type LiveEnd, type LiveRun } from '../live-runs.ts'
import { loadRun } from '../persistence/load-run.ts'
import { runGraph } from '../graphs/run-graph.ts'
import { openCalls } from '../run-messages.ts'
import type { RunEnd } from '../turns/run-turns.ts'
import { saveFinish } from '../persistence/save-run.ts'
import { assertNotStuck } from './stuck-run.ts'
import type { RunsParts } from '../runs-parts.ts'

/**
 * Goes on with a run that is this process's. Never rejects for what is wrong with the run: then it ends.
 *
 * @param isCutOff whether it did not stop by itself.
 * @param tellParent hears of a run that waits, and that another one may wait for.
 */
export async function resumeRun(
  parts: RunsParts,
  run: StoredRun,
  own: LiveRun,
  isCutOff: boolean,
  tellParent: (runId: string | undefined) => Promise<void>,
): Promise<LiveEnd> {
  const { context, watchers, checks } = parts
  own.run = run
  if (run.kind === 'graph') {
    const end = await runGraph(context, watchers, run, own, isCutOff)
    if (end.kind === 'stopped' && end.isWaiting) void own.end.then(() => tellParent(run.parentRunId))
    return end
  }
  const { signal } = own.controller
  try {
    const load = async () => {
      if (isCutOff) await assertNotStuck(context, run)
      return loadRun(context, watchers, run, isCutOff)
    }
    const loaded = await whileStoreFails(context, load, signal)
    own.log = loaded.log
    const end = await continueRun(context, checks, loaded, own)
    if (end.kind === 'stopped' && end.isWaiting) void own.end.then(() => tellParent(run.parentRunId))
    return end
  } catch (cause) {
    if (cause instanceof LostRun) return { kind: 'lost' }
    if (signal.aborted && isGivenUp(signal.reason)) return endOf(signal)
    const error = toFailure(parts, run, signal.aborted ? signal.reason : cause)
    const stop = error.code === 'cancelled' ? 'cancelled' : 'error'
    const result = await endStored(parts, run, { stop, error }, context.leases.owner, isCutOff)
    return result ? { kind: 'stopped', result } : { kind: 'lost' }
  }
}

function toFailure({ context }: RunsParts, run: StoredRun, cause: unknown): RuntimeError {
  if (RuntimeError.is(cause) && cause.code === 'cancelled') return cause
  context.logger.error('Resuming a run failed', { runId: run.id, error: String(cause) })
  if (RuntimeError.is(cause)) return cause
  return new RuntimeError('run_error', 'Resuming a run failed: an unexpected error', { cause })
}

/** Ends a run without taking it up. @returns undefined when it is not to be ended by us. */
export async function endStored(
  { context, watchers }: Pick<RunsParts, 'context' | 'watchers'>,
  run: StoredAgentRun,
  how: RunEnd,
  owner: string | undefined,
  isCutOff: boolean,
): Promise<RunResult | undefined> {
  const load = () => loadRun(context, watchers, run, isCutOff)
  const state = createAgentRunState(context, await whileStoreFails(context, load))
  refuseCalls(state, openCalls(state.writer.messages), 'Not called: the run ended before')
  const result = await saveFinish(context, state, how, owner)
  watchers.notify(run.id)
  return result
}
