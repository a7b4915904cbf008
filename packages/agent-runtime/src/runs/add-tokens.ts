import type { Usage } from '@homeward/contract/agent-platform'

/** Tokens that only some providers count. They are absent while nobody counted any. */
const optional = ['cached_input_tokens', 'cache_write_input_tokens', 'reasoning_tokens'] as const

/** Adds what was used to a sum. */
export function addTokens(sum: Usage, used: Usage): void {
  sum.input_tokens += used.input_tokens
  sum.output_tokens += used.output_tokens
  for (const name of optional) {
    const count = used[name] ?? 0
    if (count > 0) sum[name] = (sum[name] ?? 0) + count
  }
}
