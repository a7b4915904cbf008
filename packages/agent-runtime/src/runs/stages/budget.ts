import { createCallMeter } from '../../budgets/create-call-meter.ts'
import { tokensOf, type ModelTurn } from '../loop/answer.ts'
import type { Run } from '../loop/run.ts'
import type { NextTurn, Stage } from '../loop/stage.ts'

/** Ends a run whose output tokens are used up (`max_tokens`). */
export function tokenLimitStage(run: Run, limit: number): Stage {
  const left = () => limit - run.progress.usage.output_tokens
  return {
    name: 'token-limit',
    turn(next) {
      if (left() <= 0) next.stop = 'max_tokens'
    },
    prompt: (options) => ({ ...options, maxOutputTokens: left() }),
    answer: (turn) => (left() <= 0 && turn.parts.some(isCall) ? { ...turn, finish: 'length' } : turn),
    end(stopping) {
      if (left() <= 0) stopping.canGoOn = false
    },
  }
}

const isCall = ({ type }: { readonly type: string }) => type === 'tool_call'

/** Counts what model calls cost against the budget accounts of a run. */
export function budgetStage(run: Run): Stage | undefined {
  const { context, signal } = run
  const { id: runId, accounts } = run.row
  const meter = createCallMeter(context, { runId, accounts, signal, turn: () => run.progress.turns + 1 })
  return (
    meter && {
      name: 'budget',
      ...(accounts.some(({ askAt }) => askAt !== undefined) && {
        async turn(next: NextTurn) {
          if (next.stop) return
          next.pause = await (await import('../waits/budget.ts')).askForBudget(run, meter)
        },
      }),
      admit: async (options, model) => ({
        ...options,
        maxOutputTokens: await meter.begin(model, options),
      }),
      ended: (turn, cause) =>
        meter.end(isFree(turn, cause) ? { input: 0, output: 0 } : tokensOf(context.estimateTokens, turn)),
    }
  )
}

/** A provider that answered with an error did not do the work. */
const isFree = (turn: ModelTurn, cause: unknown) =>
  cause !== undefined && !turn.hasBegun && !turn.usage && hasStatus(cause)

const hasStatus = (cause: unknown) =>
  typeof cause === 'object' && cause !== null && typeof Reflect.get(cause, 'statusCode') === 'number'
