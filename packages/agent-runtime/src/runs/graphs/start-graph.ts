import type { GraphRunResult } from '@homeward/contract/agent-platform'
import type { NewJournalEvent } from '../../store/ports/journal.ts'
import type { NewGraphRun, RunBeginning } from '../../store/ports/new-run.ts'
import type { StoredGraphRun } from '../../store/ports/run-store.ts'
import { toTraceparent } from '../../ports/instrumentation.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { noProgress } from '../loop/run.ts'
import { followRun } from '../events/follow-run.ts'
import { runGraph } from './run-graph.ts'
import type { GraphHandle } from '../runs.ts'
import { beginRun } from '../continue.ts'
import type { RunsContext } from '../runs-options.ts'
import { insertRun } from '../start.ts'

/** Keeps a graph's run and begins its work, or joins the one with its idempotency key. */
export async function startGraph(
  context: RunsContext,
  { begun, ...asked }: NewGraphRun & { readonly begun?: RunBeginning },
  journal: readonly NewJournalEvent[],
): Promise<GraphHandle> {
  const { tracing } = context
  const run = tracing.current ? { ...asked, ...toTraceparent(tracing) } : asked
  const { own, known } = await insertRun(context, run, journal, begun && { begun })
  if (known.kind !== 'graph' || known.graph.id !== run.graph.id) {
    throw new RuntimeError(
      'conflict',
      'Starting a graph failed: this idempotency key was used for another run. Send a new key.',
    )
  }
  if (own) {
    const stored: StoredGraphRun = { ...run, status: 'running', progress: noProgress, cancelRequested: false }
    const work = () => runGraph(context, stored, own, false)
    beginRun(context, own, run, () => tracing.current?.inside({ kind: 'run', run }, work) ?? work())
  }
  // the run of a graph has a graph's result
  const result = followRun(context, known.id, own) as Promise<GraphRunResult>
  result.catch(() => {}) // not every caller waits for it
  return { runId: known.id, result }
}
