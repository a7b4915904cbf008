import picomatch from 'picomatch'
import { matchesWildcards } from './matches-wildcards.ts'

/** Decides whether a file matches. `relativePath` uses `/` on every platform. */
export type NameMatcher = (name: string, relativePath: () => string) => boolean

// A search text comes from the cloud. A regular expression with many wildcards can take longer than the
// universe has; with four over a name of at most 255 characters it stays in the milliseconds.
const maxExpressionWildcards = 4

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
  const fold = /[^\0-\x7f]/.test(text) ? foldUnicode : foldCase
  const part = fold(text)
  if (!isGlob(text)) return (name) => fold(name).includes(part)

  const matches = compileGlob(part)
  const ofPath = text.includes('/')
  return (name, relativePath) => {
    const folded = fold(name)
    return folded.includes(part) || matches(ofPath ? fold(relativePath()) : folded)
  }
}

function isGlob(text: string): boolean {
  return /[*?]|\[.+\]|\{.+\}/.test(text)
}

function compileGlob(glob: string): (subject: string) => boolean {
  if (!/[[{\\/]/.test(glob)) return (subject) => matchesWildcards(glob, subject)
  if ((glob.match(/\*+/g)?.length ?? 0) > maxExpressionWildcards)
    throw new Error(
      `Matching the pattern failed: it has more than ${maxExpressionWildcards} wildcards beside braces, brackets or slashes. Use fewer.`,
    )
  // Groups and quantifiers would reach the regular expression as they are.
  const plain = glob.replaceAll(/\\.|[()+|]/gs, (found) => (found.length > 1 ? found : `\\${found}`))
  return picomatch(plain.replace(/^\.?\/+/, ''), {
    dot: true,
    nocase: true,
    noextglob: true,
    nonegate: true,
    windows: false,
  })
}

// macOS stores some names decomposed; both sides are composed before they are compared.
const foldUnicode = (value: string): string => value.normalize('NFC').toLowerCase()
const foldCase = (value: string): string => value.toLowerCase()
