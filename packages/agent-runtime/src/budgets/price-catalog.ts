import type { ModelPrice } from './prices.ts'

/**
 * Prices of well-known models in US dollars for a million tokens, for calls at the standard tier with prompts of up to 200,000
 * tokens: longer prompts may cost more. Models whose price is a promotion or changes below that are left out. Sources: the
 * providers' price pages, platform.claude.com/docs/en/about-claude/pricing, developers.openai.com/api/docs/pricing and
 * ai.google.dev/gemini-api/docs/pricing.
 */
export const priceCatalog = {
  /** The day on which all of them were confirmed; some were confirmed later. */
  date: '2026-09-05',
  prices: {
    'anthropic/claude-fable-5-1': priceOf(10, 50, 0.25, 12.5),
    'anthropic/claude-fable-5': priceOf(10, 50, 1, 12.5),
    'anthropic/claude-opus-5-5': priceOf(4, 20, 0.2, 5),
    'anthropic/claude-opus-5': priceOf(5, 25, 0.5, 6.25),
    'anthropic/claude-opus-4-8': priceOf(5, 25, 0.5, 6.25),
    'anthropic/claude-opus-4-7': priceOf(5, 25, 0.5, 6.25),
    'anthropic/claude-opus-4-6': priceOf(5, 25, 0.5, 6.25),
    'anthropic/claude-opus-4-5': priceOf(5, 25, 0.5, 6.25),
    'anthropic/claude-sonnet-5-5': priceOf(2, 10, 0.1, 2.5),
    'anthropic/claude-sonnet-5': priceOf(2, 10, 0.2, 2.5),
    'anthropic/claude-sonnet-4-6': priceOf(3, 15, 0.3, 3.75),
    'anthropic/claude-sonnet-4-5': priceOf(3, 15, 0.3, 3.75),
    'anthropic/claude-haiku-4-5': priceOf(1, 5, 0.1, 1.25),
    'google/gemini-3.5-flash': priceOf(1.5, 9, 0.15),
    'openai/gpt-5.6-terra': priceOf(2, 12, 0.2, 2.5),
    'openai/gpt-5.6-luna': priceOf(0.2, 1.2, 0.02, 0.25),
    'openai/gpt-5.5': priceOf(5, 30, 0.5),
    'openai/gpt-5.5-pro': priceOf(30, 180),
    'openai/gpt-5.4': priceOf(2.5, 15, 0.25),
    'openai/gpt-5.4-mini': priceOf(0.75, 4.5, 0.075),
    'openai/gpt-5.4-nano': priceOf(0.2, 1.25, 0.02),
    'openai/gpt-5-mini': priceOf(0.25, 2, 0.025),
  } as Readonly<Record<string, ModelPrice>>,
} as const

function priceOf(input: number, output: number, cachedInput?: number, cacheWrite?: number): ModelPrice {
  return {
    inputPerMillion: input,
    outputPerMillion: output,
    ...(cachedInput !== undefined && { cachedInputPerMillion: cachedInput }),
    ...(cacheWrite !== undefined && { cacheWritePerMillion: cacheWrite }),
  }
}
