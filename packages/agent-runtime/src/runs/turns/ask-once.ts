import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { ActiveRun } from '../active-run.ts'
import { callModel } from './call-model.ts'
import { turnText } from './model-turn.ts'
import { noteWarnings } from './model-warnings.ts'
import { addUsage } from './run-usage.ts'
import type { RunsContext } from '../runs-options.ts'

/** Asks a run's model something beside its task; what it uses counts for the run. */
export async function askOnce(
  context: RunsContext,
  run: ActiveRun,
  prompt: LanguageModelV4Prompt,
): Promise<string> {
  const startedAtMs = context.now()
  const turn = await callModel(context, run.chain, {
    options: { prompt, abortSignal: run.signal },
    redact: run.redact,
    signal: run.signal,
    onDelta: () => {},
    onTurn: () => {},
    onRetry: (retry) => run.log.push({ event: 'retry', data: retry }),
    meter: run.meter,
    isSideCall: true,
  })
  noteWarnings(context, run, turn)
  addUsage(context, run, { turn, prompt, startedAtMs })
  return turnText(turn)
}
