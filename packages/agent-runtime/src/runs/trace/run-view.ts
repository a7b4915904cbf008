import type { StoredEffect } from '../../store/ports/effect.ts'
import type { StoredWait } from '../../store/ports/wait.ts'
import type { ModelMessage } from '../../ports/message.ts'
import type { StoredAgentRun } from '../../store/ports/run-store.ts'
import type { ModelSpan, RunSpan } from '../../store/ports/run-trace.ts'
import type { RunsContext } from '../runs-options.ts'

/** A model call under way. */
export type OpenSpan = Omit<ModelSpan, 'finishedAt'> & {
  /** What has come of the answer, as far as people may read it. */
  readonly text: string
}

/** What this process knows of a run that it works on. */
export interface LiveView {
  readonly messages: readonly ModelMessage[]
  readonly spans: readonly RunSpan[]
  readonly open: OpenSpan | undefined
}

/** Everything that the steps of a run are read from. */
export interface RunView extends LiveView {
  readonly run: StoredAgentRun
  readonly effects: readonly StoredEffect[]
  readonly waits: readonly StoredWait[]
}

/** Reads a run as it is: what this process knows of it, or else what is stored. */
export async function readRunView(
  { store, live }: Pick<RunsContext, 'store' | 'live'>,
  run: StoredAgentRun,
): Promise<RunView> {
  const [effects, waits] = [await store.listEffects(run.id), await store.listWaitsOf([run.id])]
  const own = live.get(run.id)?.view?.()
  if (own) return { run, effects, waits, ...own }
  const messages = await store.listRunMessages(run.id)
  const spans = await store.listRunSpans(run.id)
  return { run, effects, waits, messages, spans, open: undefined }
}
