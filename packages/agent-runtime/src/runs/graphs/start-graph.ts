import type { GraphRunResult } from '@homeward/contract/agent-platform'
import type { NewJournalEvent } from '../../store/ports/journal.ts'
import type { NewGraphRun, RunBeginning } from '../../store/ports/new-run.ts'
import type { StoredGraphRun } from '../../store/ports/run-store.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { noProgress } from '../active-run.ts'
import { followRun } from '../events/follow-run.ts'
import { runGraph } from './run-graph.ts'
import type { GraphHandle } from '../runs.ts'
import { insertRun } from '../insert-run.ts'
import type { RunsParts } from '../runs-parts.ts'
import type { RunStarter } from '../run-starter.ts'

/** Keeps a graph's run and begins its work, or joins the one with its idempotency key. */
export async function startGraph(
  parts: RunsParts,
  starter: RunStarter,
  { begun, ...run }: NewGraphRun & { readonly begun?: RunBeginning },
  journal: readonly NewJournalEvent[],
): Promise<GraphHandle> {
  const { own, known } = await insertRun(parts, run, journal, [], begun)
  if (known.kind !== 'graph' || known.graph.id !== run.graph.id) {
    throw new RuntimeError(
      'conflict',
      'Starting a graph failed: this idempotency key was used for another run. Send a new key.',
    )
  }
  if (own) {
    const stored: StoredGraphRun = { ...run, status: 'running', progress: noProgress, cancelRequested: false }
    starter.begin(own, run, () => runGraph(parts.context, parts.watchers, stored, own, false))
  }
  // the run of a graph has a graph's result
  const result = followRun(parts, starter, known.id, own) as Promise<GraphRunResult>
  result.catch(() => {}) // not every caller waits for it
  return { runId: known.id, result }
}
