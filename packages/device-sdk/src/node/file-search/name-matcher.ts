import { compileGlob } from './compile-glob.ts'
import { foldCase, foldEachLetter } from './fold-case.ts'

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
