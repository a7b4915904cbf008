import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { whileStoreFails } from '../../concurrency/while-store-fails.ts'
import type { BudgetAccount, BudgetBalance } from '../../store/ports/budget-store.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { ActiveRun } from '../active-run.ts'
import type { CallMeter } from './call-model.ts'
import { LostRun } from '../given-up.ts'
import type { ModelTurn } from './model-turn.ts'
import { countedTokens } from './counted-tokens.ts'
import { usageOf } from './run-usage.ts'
import type { RunsContext } from '../runs-options.ts'
import { microUsdOf, type ModelPrice } from '../../budgets/prices.ts'

/** Output tokens that are reserved for a call when nothing narrows them: an answer that is longer is cut off. */
const defaultOutputTokens = 8192
/** Fewer output tokens are not worth a call. */
const fewestOutputTokens = 16
/** Others may draw on the same account between a look and a reservation. */
const maxTries = 20

interface Reserved {
  readonly id: string
  readonly price: ModelPrice | undefined
  readonly promptTokens: number
}

/**
 * Counts what the model calls of a run cost against its budget accounts: what a call can cost at the most is reserved
 * before it is made, and its output capped so that it fits.
 *
 * @returns undefined for a run without a budget.
 */
export function createCallMeter(context: RunsContext, run: ActiveRun): CallMeter | undefined {
  const { accounts } = run.run
  if (accounts.length === 0) return undefined
  const { prices, leases } = context
  let reserved: Reserved | undefined

  return {
    async begin(model, options) {
      const price = priceOf(model, accounts, prices)
      const promptTokens = estimatePrompt(context, options)
      run.modelCalls += 1
      // Of this process alone: what a call before a crash has cost is not known, and stays reserved.
      const id = `${run.run.id}:${run.turns + 1}:${run.modelCalls}@${leases.owner}`
      const wanted = Math.min(options.maxOutputTokens ?? defaultOutputTokens, defaultOutputTokens)
      const output = await reserve(context, { id, accounts, price, promptTokens, wanted }, run.signal)
      reserved = { id, price, promptTokens }
      return output
    },
    async end(turn, cause) {
      if (!reserved || run.signal.reason instanceof LostRun) return
      const { id, price, promptTokens } = reserved
      reserved = undefined
      const [input, output] = usedTokens(context, run, turn, promptTokens, cause)
      const microUsd = price ? microUsdOf(price, input, output) : 0
      const settlement = { id, tokens: input + output, microUsd }
      await whileStoreFails(context, () => context.store.settleBudget(settlement))
    },
  }
}

/** @throws {RuntimeError} `budget_unknown` when a limit in money has no price to go by. */
function priceOf(
  model: string,
  accounts: readonly BudgetAccount[],
  prices: RunsContext['prices'],
): ModelPrice | undefined {
  const price = Object.hasOwn(prices, model) ? prices[model] : undefined
  if (price || accounts.every(({ maxMicroUsd }) => maxMicroUsd === undefined)) return price
  throw new RuntimeError(
    'budget_unknown',
    `Calling the model ${model}: the budget is in money, and the host's price table has no price for this model. ` +
      'Add its price, or give the budget in tokens.',
  )
}

function estimatePrompt(
  { estimateTokens }: RunsContext,
  { prompt, tools }: LanguageModelV4CallOptions,
): number {
  return estimateTokens(JSON.stringify(prompt)) + (tools ? estimateTokens(JSON.stringify(tools)) : 0)
}

interface Wish {
  readonly id: string
  readonly accounts: readonly BudgetAccount[]
  readonly price: ModelPrice | undefined
  readonly promptTokens: number
  readonly wanted: number
}

/** Reserves the prompt and as much output as fits. @returns the output tokens. */
async function reserve(context: RunsContext, wish: Wish, signal: AbortSignal): Promise<number> {
  const { id, accounts, price, promptTokens, wanted } = wish
  let output = wanted
  for (let tries = 1; ; tries += 1) {
    const microUsd = price ? microUsdOf(price, promptTokens, output) : 0
    const reservation = { id, accounts, tokens: promptTokens + output, microUsd }
    const ask = () => context.store.reserveBudget(reservation, signal)
    const answer = await whileStoreFails(context, ask, signal)
    if (answer.outcome === 'reserved') return output
    const account = accounts.find(({ key }) => key === answer.key)
    const fits = Math.min(output - 1, outputThatFits(account, answer.balance, wish))
    // an answer that was meant to be shorter than the fewest may stay so
    if (fits < Math.min(fewestOutputTokens, wanted) || tries >= maxTries) throw exceeded(answer.key)
    output = fits
  }
}

function outputThatFits(
  account: BudgetAccount | undefined,
  balance: BudgetBalance,
  { price, promptTokens }: Wish,
): number {
  const { maxTokens = Infinity, maxMicroUsd = Infinity } = account ?? {}
  const byTokens = maxTokens - balance.tokens - promptTokens
  if (!price || maxMicroUsd === Infinity) return byTokens
  const left = maxMicroUsd - balance.microUsd - microUsdOf(price, promptTokens, 0)
  const byMoney =
    price.outputPerMillion > 0 ? Math.floor(left / price.outputPerMillion) : left < 0 ? -1 : Infinity
  return Math.min(byTokens, byMoney)
}

const exceeded = (key: string) =>
  new RuntimeError(
    'budget_exceeded',
    `Calling the model: the budget ${key} has too little left for another call. Raise the budget or wait for its next period.`,
    { details: { account: key } },
  )

/** Input and output tokens that a call has used; what is not known is estimated, rather too high. */
function usedTokens(
  context: RunsContext,
  run: ActiveRun,
  turn: ModelTurn,
  promptTokens: number,
  cause: unknown,
): readonly [number, number] {
  // A provider that answered with an error did not do the work.
  if (cause !== undefined && !turn.hasBegun && !turn.usage && hasStatus(cause)) return [0, 0]
  const { output_tokens } = usageOf(context, run.prompt, turn)
  return [countedTokens(turn.usage?.inputTokens?.total) ?? promptTokens, output_tokens]
}

const hasStatus = (cause: unknown) =>
  typeof cause === 'object' && cause !== null && typeof Reflect.get(cause, 'statusCode') === 'number'
