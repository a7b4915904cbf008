/**
 * Tokens that a text is likely to take, rather too many than too few: three characters of an alphabet, one of a script
 * without one (Chinese, Japanese, Korean and the like).
 *
 * @example
 * estimateTokens('Where is the report?') // 7
 */
export function estimateTokens(text: string): number {
  let units = 0
  for (let index = 0; index < text.length; index += 1) units += text.charCodeAt(index) < 0x0e_00 ? 1 : 3
  return Math.ceil(units / 3)
}
