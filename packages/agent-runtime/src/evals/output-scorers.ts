import { parseExactJson } from '@homeward/kit'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { microUsdOf, type Prices } from '../budgets/prices.ts'
import { describeIssues, parserOf } from '../host-input/standard-schema.ts'
import { cut } from '../json/to-json.ts'
import type { Scorer } from './scorer.ts'

/**
 * Passes if the output contains a text exactly, or matches a regular expression.
 *
 * @param wanted text or regular expression. @default `expected.output` of the case
 */
export function outputIncludes(wanted?: string | RegExp): Scorer {
  return {
    name: wanted === undefined ? 'output includes the expected text' : `output includes ${show(wanted)}`,
    score({ result: { output }, case: { expected } }) {
      const text = wanted ?? expected?.output
      if (text === undefined)
        throw new Error(
          'Scoring the output failed: the expected text is missing. Pass a text to the scorer or set "expected.output".',
        )
      // search() heeds no lastIndex: a regular expression with the flag g gives the same each time
      const isIn = typeof text === 'string' ? output.includes(text) : output.search(text) >= 0
      return isIn ? { value: 1 } : { value: 0, reason: `the output does not include ${show(text)}` }
    },
  }
}

const show = (wanted: string | RegExp) =>
  cut(typeof wanted === 'string' ? JSON.stringify(wanted) : String(wanted), 80)

/**
 * Passes if the structured output of the run, or its text as JSON, matches a schema of zod, Valibot, ArkType or
 * similar.
 */
export function outputMatches(schema: StandardSchemaV1): Scorer {
  const parse = parserOf(schema)
  return {
    name: 'output matches the schema',
    async score({ result: { data, output } }) {
      const value = data === undefined ? parseText(output) : { json: data }
      if (!value) return { value: 0, reason: 'the output is not JSON' }
      const { issues } = await parse(value.json)
      return issues ? { value: 0, reason: describeIssues(issues, 'the output') } : { value: 1 }
    },
  }
}

function parseText(text: string): { readonly json: unknown } | undefined {
  try {
    return { json: parseExactJson(text) }
  } catch {
    return undefined
  }
}

/** Limits of an attempt. At least one of `tokens` and `usd` is required. */
export interface CostLimits {
  /** Maximum number of input and output tokens together. */
  readonly tokens?: number
  /** Maximum cost in US dollars. Requires `prices`. */
  readonly usd?: number
  /** Prices of models, as for `createRuntime`. */
  readonly prices?: Prices
  /** Maximum duration in milliseconds. */
  readonly durationMs?: number
}

/**
 * Passes if the run stays within limits of tokens, cost or time. Sub-agents do not count. A model without a price
 * fails.
 */
export function maxCost({ tokens, usd, prices = {}, durationMs }: CostLimits): Scorer {
  return {
    name: 'costs at most',
    score({ result: { usage, model }, durationMs: took }) {
      const { input_tokens: input, output_tokens: output } = usage
      const price = prices[model]
      if (usd !== undefined && !price)
        throw new Error(`Scoring the cost failed: "prices" has no price for ${model}. Add one.`)
      const { cached_input_tokens: cacheRead = 0, cache_write_input_tokens: cacheWrite = 0 } = usage
      const cost = price && microUsdOf(price, { input, output, cacheRead, cacheWrite }) / 1_000_000
      const over = [
        ...(tokens !== undefined && input + output > tokens
          ? [`${input + output} tokens, at most ${tokens}`]
          : []),
        ...(usd !== undefined && (cost ?? 0) > usd ? [`${cost} US dollars, at most ${usd}`] : []),
        ...(durationMs !== undefined && took > durationMs ? [`${took} ms, at most ${durationMs}`] : []),
      ]
      return over.length === 0 ? { value: 1 } : { value: 0, reason: over.join('; ') }
    },
  }
}
