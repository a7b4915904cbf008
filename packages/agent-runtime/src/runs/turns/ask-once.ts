import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { createCallMeter } from './create-call-meter.ts'
import type { ActiveRun } from '../active-run.ts'
import { callModel } from './call-model.ts'
import { turnText } from './model-turn.ts'
import { addUsage } from './run-usage.ts'
import type { RunsContext } from '../runs-options.ts'

/** Asks a run's model something beside its task; what it uses counts for the run. */
export async function askOnce(
  context: RunsContext,
  run: ActiveRun,
  prompt: LanguageModelV4Prompt,
): Promise<string> {
  run.turnStartedAtMs = context.now()
  const meter = createCallMeter(context, run)
  const turn = await callModel(context, run.chain, {
    options: { prompt, abortSignal: run.signal },
    redact: run.redact,
    abort: run.abort,
    onDelta: () => {},
    onTurn: () => {},
    ...(meter && { meter }),
  })
  addUsage(context, run, turn, false, prompt)
  return turnText(turn)
}
