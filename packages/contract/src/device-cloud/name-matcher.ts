import { foldCase, foldDashes, foldEachLetter } from '@homeward/kit'
import { compileGlob } from './glob.ts'
import { foldName, readSearchWords, type WordSubject } from './search-words.ts'
import { createFileRank } from './select-files.ts'

/** How a file is called. All paths use `/` on every platform. */
type NamedFile = Required<WordSubject>

/** Decides whether a file matches a search text, and how closely. */
export interface NameMatcher {
  /** Whether a file matches. */
  matches(file: NamedFile): boolean
  /** Rank of a name; lower is better. See `createFileRank`. */
  rank(name: string): number
  /**
   * Parts of folded names: every match contains all parts of at least one list. Undefined if the text allows no such
   * lists.
   */
  readonly parts: readonly (readonly string[])[] | undefined
}

/**
 * Compiles a search text to a name matcher: words, or a glob.
 *
 * A glob without a slash is matched against the name. A glob with a slash is matched against the path relative to the
 * root, or against the whole path if it begins with a slash or a drive letter. All Unicode white space counts as a
 * space. A name that contains the text literally also matches, so `notes[1].txt` finds itself. An empty text matches
 * every file if `matchesAll` is set, else none. If `isWindows` is set, a backslash counts as a slash.
 *
 * @throws {Error} if a glob is too complicated to match in bounded time.
 * @example
 * const path = () => 'docs/report.pdf'
 * createNameMatcher('report').matches({ name: 'report.pdf', path, fullPath: path }) // true
 */
export function createNameMatcher(
  query: string,
  { matchesAll = false, isWindows = false }: { matchesAll?: boolean; isWindows?: boolean } = {},
): NameMatcher {
  const trimmed = query.trim()
  const text = isWindows ? trimmed.replaceAll('\\', '/') : trimmed
  const rank = createFileRank(text)
  if (text === '') return { matches: () => matchesAll, rank, parts: undefined }
  const words = readSearchWords(text)
  const hasSlash = text.includes('/')
  if (words) {
    const parts = hasSlash ? undefined : words.plain.map((word) => [word])
    return { matches: words.matches, rank, parts }
  }
  return { matches: createPatternTest(text), rank, parts: hasSlash ? undefined : partsOfGlob(text) }
}

/** The literal parts of a glob of stars and question marks; others have alternatives. */
function partsOfGlob(glob: string): readonly (readonly string[])[] | undefined {
  if (/[[\]{}\\]/.test(glob)) return undefined
  return [glob.split(/[*?]+/).map(foldName).filter(Boolean)]
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
