import { createFileRank, readSearchWords, type WordSubject } from '@homeward/contract/device-cloud'
import { foldCase, foldDashes, foldEachLetter } from '@homeward/kit'
import { compileGlob } from './glob.ts'

/** How a file is called. All paths use `/` on every platform. */
type NamedFile = Required<WordSubject>

/** Decides whether a file matches a search text, and how well. */
export interface NameMatcher {
  matches(file: NamedFile): boolean
  /** Less for a name that fits better: see `createFileRank`. */
  rank(name: string): number
  /** What the folded name of every match must hold one of; undefined if that cannot be said. */
  readonly anyOf: readonly string[] | undefined
}

/**
 * Compiles a search text: words (C27), or a glob.
 *
 * A glob without a slash is held against the name, one with a slash against the path relative to the root, and against
 * the whole path if it begins with a slash or a drive. Every blank of Unicode counts as a space.
 * A name that holds the text literally matches too, so `notes[1].txt` finds itself.
 * An empty text matches every file if `matchesAll`, and nothing otherwise.
 *
 * @throws {Error} when a glob is too complicated to be matched in bounded time.
 */
export function createNameMatcher(
  query: string,
  {
    matchesAll = false,
    platform = process.platform,
  }: { matchesAll?: boolean; platform?: NodeJS.Platform } = {},
): NameMatcher {
  const trimmed = query.trim()
  const text = platform === 'win32' ? trimmed.replaceAll('\\', '/') : trimmed
  const rank = createFileRank(text)
  if (text === '') return { matches: () => matchesAll, rank, anyOf: undefined }
  const words = readSearchWords(text)
  if (words) return { matches: words.matches, rank, anyOf: text.includes('/') ? undefined : words.plain }
  return { matches: createPatternTest(text), rank, anyOf: undefined }
}

function createPatternTest(text: string): NameMatcher['matches'] {
  const part = foldDashes(foldCase(text))
  const holdsText = (name: string) => name.includes(text) || foldDashes(foldCase(name)).includes(part)
  const matches = createGlobMatcher(text)
  const hasSlash = text.includes('/')
  const isAbsolute = /^(?:[a-z]:)?\//i.test(text)
  return ({ name, path, fullPath }) => {
    if (holdsText(name)) return true
    if (!hasSlash) return matches(name)
    return matches(path()) || (isAbsolute && matches(fullPath().replace(/^\/+/, '')))
  }
}

/** Folds the letters of a glob in both ways: `?` is one letter of the name, and `ß` in the pattern may be two. */
function createGlobMatcher(glob: string): (subject: string) => boolean {
  const eachLetter = foldEachLetter(glob)
  const folded = foldCase(glob)
  const matches = compileGlob(eachLetter)
  const matchesFolded = folded === eachLetter ? matches : compileGlob(folded)
  return (subject) => {
    const one = foldEachLetter(subject)
    if (matches(one)) return true
    const other = foldCase(subject)
    return (matches !== matchesFolded || one !== other) && matchesFolded(other)
  }
}
