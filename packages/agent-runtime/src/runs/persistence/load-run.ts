import type { StoredAgentRun, StoredRun } from '../../store/ports/run-store.ts'
import type { LoadedRun } from '../loaded-run.ts'
import { EventLog } from '../events/event-log.ts'
import type { RunWatchers } from '../events/run-watchers.ts'
import type { RunsContext } from '../runs-options.ts'

/** Readers may have seen events of a run that stopped without an end, and were never kept: numbers go on behind them. */
const crashGap = 1_000_000

/** Number of the event that comes next. `isCutOff`: whoever worked on the run may have told more than was kept. */
export async function nextSeqOf(
  { store }: Pick<RunsContext, 'store'>,
  { id, progress }: StoredRun,
  isCutOff: boolean,
): Promise<{ readonly nextSeq: number; readonly isFirst: boolean }> {
  let { lastSeq } = progress
  if (lastSeq === undefined) {
    const last = (await store.listRunEvents(id, 0)).at(-1)
    lastSeq = last ? last.firstSeq + last.events.length - 1 : 0
  }
  return { nextSeq: lastSeq + 1 + (isCutOff ? crashGap : 0), isFirst: lastSeq === 0 }
}

/** Loads an agent's run, with a log that goes on behind its last event. */
export async function loadRun(
  context: RunsContext,
  watchers: RunWatchers,
  run: StoredAgentRun,
  isCutOff: boolean,
): Promise<LoadedRun> {
  const { store } = context
  const messages = await store.listRunMessages(run.id)
  const spans = await store.listRunSpans(run.id)
  const effects = await store.listEffects(run.id)
  const { nextSeq, isFirst } = await nextSeqOf(context, run, isCutOff)
  const log = new EventLog(nextSeq, () => watchers.notify(run.id))
  if (isFirst) {
    log.push({
      event: 'start',
      data: { run_id: run.id, conversation_id: run.conversationId, model: run.model },
    })
  }
  return {
    run: { ...run, ...run.progress.input },
    messages,
    spans,
    effects,
    // of a run that waits, those without an outcome wait too
    ledger: isCutOff ? effects : effects.filter(({ outcome }) => outcome !== undefined),
    progress: { ...run.progress, tainted: run.progress.tainted || run.tainted },
    model: run.model,
    log,
    redact: await context.redactor(),
    startedAtMs: context.now(),
  }
}
