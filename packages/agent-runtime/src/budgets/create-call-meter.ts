import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { whileStoreFails } from '../concurrency/while-store-fails.ts'
import { promptTokens } from '../files/load-prompt-files.ts'
import type { Logger } from '../ports/logger.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { BudgetAccount, BudgetBalance, BudgetStore } from '../store/ports/budget-store.ts'
import { microUsdOf, mostMicroUsdOf, type ModelPrice, type PriceOf } from './prices.ts'

/** Tokens of a model call; undefined when nobody has counted them. */
export interface UsedTokens {
  readonly input: number | undefined
  readonly output: number
  /** Of the input, what was read from the provider's cache. @default 0 */
  readonly cacheRead?: number
  /** Of the input, what was written to the provider's cache. @default 0 */
  readonly cacheWrite?: number
}

/** A budget of which so much is used that a person is asked before the next call. */
export interface ReachedBudget {
  readonly key: string
  readonly used: number
  readonly limit: number
  readonly unit: 'tokens' | 'usd'
}

/** Counts what the model calls of a run cost, one attempt after the other. */
export interface CallMeter {
  /**
   * Reserves what a call to a model will cost at the most.
   *
   * @returns the most output tokens that it may have.
   * @throws {RuntimeError} `budget_exceeded`, `budget_unknown`: it must not be made.
   */
  begin(model: string, options: LanguageModelV4CallOptions): Promise<number>
  /** The budgets that are used up to their `askAt`. None if a call does not fit below every limit. */
  reached(model: string, options: LanguageModelV4CallOptions): Promise<readonly ReachedBudget[]>
  /** Replaces the reservation by what the call used. An unknown input is estimated. */
  end(used: UsedTokens): Promise<void>
}

/** What a meter works with. */
interface MeterContext {
  readonly store: Pick<BudgetStore, 'reserveBudget' | 'settleBudget' | 'readBudget'>
  readonly priceOf: PriceOf
  /** What reservations of this process are under. */
  readonly leases: { readonly owner: string }
  readonly logger: Logger
  readonly random: () => number
  readonly estimateTokens: (text: string) => number
}

/** The run whose calls are counted. */
interface MeteredRun {
  readonly runId: string
  readonly accounts: readonly BudgetAccount[]
  /** Aborts when the run has to stop. */
  readonly signal: AbortSignal
  /** Number of the turn under way. */
  readonly turn: () => number
}

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
export function createCallMeter(
  context: MeterContext,
  { runId, accounts, signal, turn }: MeteredRun,
): CallMeter | undefined {
  if (accounts.length === 0) return undefined
  const { priceOf, leases, store } = context
  let reserved: Reserved | undefined
  let calls = 0

  return {
    async begin(model, options) {
      const price = assertPrice(model, accounts, priceOf(model))
      const promptTokens = estimatePrompt(context, options)
      calls += 1
      // Of this process alone: what a call before a crash has cost is not known, and stays reserved.
      const id = `${runId}:${turn()}:${calls}@${leases.owner}`
      const wanted = Math.min(options.maxOutputTokens ?? defaultOutputTokens, defaultOutputTokens)
      const output = await reserve(context, { id, accounts, price, promptTokens, wanted }, signal)
      reserved = { id, price, promptTokens }
      return output
    },
    async reached(model, options) {
      const wanted = Math.min(options.maxOutputTokens ?? defaultOutputTokens, defaultOutputTokens)
      const price = priceOf(model)
      const wish = { price, promptTokens: estimatePrompt(context, options) }
      const reached: ReachedBudget[] = []
      for (const account of accounts) {
        const read = () => store.readBudget(account.key, signal)
        const balance = await whileStoreFails(context, read, signal)
        if (outputThatFits(account, balance, wish) < Math.min(fewestOutputTokens, wanted)) return []
        reached.push(...reachedOf(account, balance))
      }
      return reached
    },
    async end({ input: counted, output, ...cache }) {
      if (!reserved) return
      const { id, price, promptTokens } = reserved
      reserved = undefined
      const input = counted ?? promptTokens
      const microUsd = price ? microUsdOf(price, { ...cache, input, output }) : 0
      const settlement = { id, tokens: input + output, microUsd }
      await whileStoreFails(context, () => store.settleBudget(settlement))
    },
  }
}

/** @throws {RuntimeError} `budget_unknown` when a limit in money has no price to go by. */
function assertPrice(
  model: string,
  accounts: readonly BudgetAccount[],
  price: ModelPrice | undefined,
): ModelPrice | undefined {
  if (price || accounts.every(({ maxMicroUsd }) => maxMicroUsd === undefined)) return price
  throw new RuntimeError(
    'budget_unknown',
    `Calling the model ${model} failed: the budget is in US dollars, but this model has no price. ` +
      'Save a price with PUT /api/prices/{model}, or set the budget in tokens.',
  )
}

function estimatePrompt(
  { estimateTokens }: MeterContext,
  { prompt, tools, responseFormat }: LanguageModelV4CallOptions,
): number {
  const parts = [tools, responseFormat].filter((part) => part !== undefined)
  const tokens = parts.map((part) => estimateTokens(JSON.stringify(part)))
  return tokens.reduce((sum, each) => sum + each, promptTokens(estimateTokens, prompt))
}

/** Which of its limits an account has reached the share of. */
function reachedOf(
  { key, askAt = Infinity, maxTokens = Infinity, maxMicroUsd = Infinity }: BudgetAccount,
  { tokens, microUsd }: BudgetBalance,
): ReachedBudget[] {
  if (tokens >= askAt * maxTokens) return [{ key, used: tokens, limit: maxTokens, unit: 'tokens' }]
  if (microUsd < askAt * maxMicroUsd) return []
  return [{ key, used: microUsd / 1_000_000, limit: maxMicroUsd / 1_000_000, unit: 'usd' }]
}

interface Wish {
  readonly id: string
  readonly accounts: readonly BudgetAccount[]
  readonly price: ModelPrice | undefined
  readonly promptTokens: number
  readonly wanted: number
}

/** Reserves the prompt and as much output as fits. @returns the output tokens. */
async function reserve(context: MeterContext, wish: Wish, signal: AbortSignal): Promise<number> {
  const { id, accounts, price, promptTokens, wanted } = wish
  let output = wanted
  for (let tries = 1; ; tries += 1) {
    const microUsd = price ? mostMicroUsdOf(price, { input: promptTokens, output }) : 0
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
  { price, promptTokens }: Pick<Wish, 'price' | 'promptTokens'>,
): number {
  const { maxTokens = Infinity, maxMicroUsd = Infinity } = account ?? {}
  const byTokens = maxTokens - balance.tokens - promptTokens
  if (!price || maxMicroUsd === Infinity) return byTokens
  const left = maxMicroUsd - balance.microUsd - mostMicroUsdOf(price, { input: promptTokens, output: 0 })
  const byMoney =
    price.outputPerMillion > 0 ? Math.floor(left / price.outputPerMillion) : left < 0 ? -1 : Infinity
  return Math.min(byTokens, byMoney)
}

const exceeded = (key: string) =>
  new RuntimeError(
    'budget_exceeded',
    `Calling the model failed: the rest of the budget ${key} is too small for another call. Raise the budget or wait for its next period.`,
    { details: { account: key } },
  )
