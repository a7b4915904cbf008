/** No text has more: what is larger, nobody has counted. */
const mostTokens = 1_000_000_000

/**
 * Tokens as a provider or a host counted them, rounded up: stores keep whole numbers, and sum them up.
 *
 * @returns undefined for what is no number of tokens.
 */
export function countedTokens(count: number | undefined): number | undefined {
  if (typeof count !== 'number' || !(count >= 0 && count <= mostTokens)) return undefined
  return Math.ceil(count)
}
