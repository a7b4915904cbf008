import { Lexer } from 'yaml'

/** What the lexer puts before the text of a scalar. */
const scalarMark = '\u001F'

/**
 * Whether YAML nests deeper than `max` in one of the ways that cost it few characters: brackets, or indicators of blocks in
 * a row (`- - - x`). What nests by indentation pays for each level with a longer line.
 */
export function isYamlDeeperThan(text: string, max: number): boolean {
  if (!canBeDeeperThan(text, max)) return false
  let brackets = 0
  let inRow = 0
  let isScalar = false
  for (const token of new Lexer().lex(text)) {
    if (isScalar) inRow = 0
    else if (token === '[' || token === '{') brackets += 1
    else if (token === ']' || token === '}') brackets = Math.max(0, brackets - 1)
    else if (token === '-' || token === '?' || token === ':') inRow += 1
    else if (token.includes('\n')) inRow = 0
    if (brackets > max || inRow > max) return true
    isScalar = !isScalar && token === scalarMark
  }
  return false
}

/**
 * Whether it has signs enough, all in all or in a line. Most texts have not, and reading their tokens would take a quarter of
 * the time that all of it takes.
 */
function canBeDeeperThan(text: string, max: number): boolean {
  const brackets = text.match(/[[{]/g)?.length ?? 0
  return brackets > max || new RegExp(`^(?:[^\\n\\-?:]*[-?:]){${max + 1}}`, 'm').test(text)
}
