import type { StoredRun } from '../../store/ports/run-store.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { childrenOf } from '../find-run.ts'
import type { RunsContext } from '../runs-options.ts'

/** Take-overs from processes that died, without a turn in between, behind which a run is taken to be what they die of. */
const maxTakeOvers = 9

/**
 * Refuses to go on with a run that has ended its processes again and again without getting any further: nothing else
 * would stop it. One whose sub-agent is under way goes on, for only that one may be the reason, and is refused itself.
 *
 * @throws {RuntimeError} `run_error`.
 */
export async function assertNotStuck({ store }: RunsContext, run: StoredRun): Promise<void> {
  const { takeOvers = 0 } = run
  if (takeOvers <= maxTakeOvers) return
  for await (const _child of childrenOf(store, run.id, 'running')) return
  throw new RuntimeError(
    'run_error',
    `Resuming a run failed: ${takeOvers} processes in a row ended during the run without completing a turn. One of its tools may ` +
      'stop the process or use up its memory, so the run will not be retried automatically. To run the task again, submit ' +
      'it again, with a new idempotency key if it had one.',
    { retryable: true },
  )
}
