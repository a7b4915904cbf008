import { foldCase, foldEachLetter } from './fold-case.ts'
import picomatch from 'picomatch'

/** Decides whether a file matches. `relativePath` uses `/` on every platform. */
export type NameMatcher = (name: string, relativePath: () => string) => boolean

/**
 * Compiles a search text: a case-insensitive part of the file's name, or a glob.
 *
 * A glob without a slash is held against the name, one with a slash against the path relative to the root.
 * A name that holds the text literally matches too, so `notes[1].txt` finds itself.
 * An empty text matches nothing.
 *
 * @throws {Error} when a glob is too complicated to be matched in bounded time.
 */
export function createNameMatcher(query: string, platform: NodeJS.Platform = process.platform): NameMatcher {
  const trimmed = query.trim()
  const text = platform === 'win32' ? trimmed.replaceAll('\\', '/') : trimmed
  if (text === '') return () => false
  const part = foldCase(text)
  const holdsText = (name: string): boolean => name.includes(text) || foldCase(name).includes(part)
  if (!isGlob(text)) return holdsText

  // `?` is one letter of the name, and `ß` in the pattern may be two.
  const matches = compileGlob(foldEachLetter(text))
  const matchesFolded = compileGlob(part)
  const ofPath = text.includes('/')
  return (name, relativePath) => {
    if (holdsText(name)) return true
    const subject = ofPath ? relativePath() : name
    return matches(foldEachLetter(subject)) || matchesFolded(foldCase(subject))
  }
}

function isGlob(text: string): boolean {
  return /[*?]|\[.+\]|\{.+\}/.test(text)
}

// A search text comes from the cloud. A regular expression with many wildcards can take longer than the
// universe has; with four over a name of at most 255 characters it stays in the milliseconds.
const maxExpressionWildcards = 4

/**
 * Compiles a glob as POSIX and shells know it, with braces and `**`. `?` and brackets stand for one character, also beyond
 * the basic plane.
 *
 * @throws {Error} when it is too complicated to be matched in bounded time.
 */
function compileGlob(glob: string): (subject: string) => boolean {
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

/** Whether `*` (any text) and `?` (one character) of `pattern` cover `subject`; takes at most length x length steps. */
function matchesWildcards(pattern: string, subject: string): boolean {
  let at = 0
  let patternAt = 0
  let starAt = -1
  let resumeAt = 0
  while (at < subject.length) {
    const wanted = pattern[patternAt]
    if (wanted === '*') {
      starAt = patternAt
      resumeAt = at
      patternAt += 1
    } else if (wanted === '?' || wanted === subject[at]) {
      at += 1
      patternAt += 1
    } else if (starAt >= 0) {
      // Only the last star needs to give way: what stood before it matches as early as it can.
      resumeAt += 1
      at = resumeAt
      patternAt = starAt + 1
    } else return false
  }
  while (pattern[patternAt] === '*') patternAt += 1
  return patternAt === pattern.length
}
