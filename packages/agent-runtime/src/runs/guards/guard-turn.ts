import type { ActiveRun } from '../active-run.ts'
import type { ArgumentChecks } from '../calls/check-arguments.ts'
import { maxCallsPerTurn } from '../calls/plan-calls.ts'
import type { RunsContext } from '../runs-options.ts'
import type { ModelTurn } from '../turns/model-turn.ts'
import { guardAnswer } from './guard-answer.ts'
import { guardCalls } from './guard-calls.ts'

/**
 * What the guards leave of an answer and its calls. The events of the answer that were held are shown.
 *
 * @throws {RuntimeError} `guard_refused`, `guard_failed`; the signal's reason.
 */
export async function guardTurn(
  context: RunsContext,
  checks: ArgumentChecks,
  run: ActiveRun,
  turn: ModelTurn,
): Promise<ModelTurn> {
  const { output, toolCall } = context.guards
  if (!output && !toolCall) return turn
  const parts = await guardAnswer(context, checks, run, turn)
  if (!toolCall) return { ...turn, parts: [...parts] }
  return { ...turn, parts: await guardCalls(context, checks, run, parts, maxCallsPerTurn) }
}
