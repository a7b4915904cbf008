import picomatch from 'picomatch'
import { matchesWildcards } from './matches-wildcards.ts'

// A search text comes from the cloud. A regular expression with many wildcards can take longer than the
// universe has; with four over a name of at most 255 characters it stays in the milliseconds.
const maxExpressionWildcards = 4

/**
 * Compiles a glob as POSIX and shells know it, with braces and `**`. `?` and brackets stand for one character, also beyond
 * the basic plane.
 *
 * @throws {Error} when it is too complicated to be matched in bounded time.
 */
export function compileGlob(glob: string): (subject: string) => boolean {
  const toUnits = createUnits(glob)
  const units = toUnits(glob)
  if (!/[[{\\/]/.test(units)) return (subject) => matchesWildcards(units, toUnits(subject))
  const matches = compileExpression(units)
  return (subject) => matches(toUnits(subject))
}

function compileExpression(glob: string): (subject: string) => boolean {
  if ((glob.match(/\*+/g)?.length ?? 0) > maxExpressionWildcards)
    throw new Error(
      `Matching the pattern failed: it must have at most ${maxExpressionWildcards} wildcards next to braces, brackets or slashes. Use fewer.`,
    )
  // Groups and quantifiers would reach the regular expression as they are. POSIX negates by `!`, regular expressions by `^`.
  const plain = glob.replaceAll(/\\.|\[!|[()+|]/gs, (found) => {
    if (found === '[!') return '[^'
    return found.length > 1 ? found : `\\${found}`
  })
  return picomatch(plain.replace(/^\.?\/+/, ''), {
    dot: true,
    nocase: true,
    noextglob: true,
    nonegate: true,
    windows: false,
  })
}

const astral = /[\u{10000}-\u{10ffff}]/gu
const privateUse = 0xe000

/**
 * Makes each character one UTF-16 unit, because patterns count these: characters beyond the basic plane become ones for
 * private use, in the same order, so that ranges of a pattern hold what they held. Characters that the pattern does not name
 * share one for each gap between those that it names.
 */
function createUnits(pattern: string): (text: string) => string {
  const named = [...new Set(pattern.match(astral))]
    .map((character) => character.codePointAt(0) ?? 0)
    .toSorted((one, other) => one - other)
  const toUnit = (character: string): string => {
    const code = character.codePointAt(0) ?? 0
    const below = named.filter((other) => other < code).length
    return String.fromCharCode(privateUse + 2 * below + Number(named.includes(code)))
  }
  return (text) => (/[\ud800-\udbff]/.test(text) ? text.replaceAll(astral, toUnit) : text)
}
