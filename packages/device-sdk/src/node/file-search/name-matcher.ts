import { foldCase, foldDashes, foldEachLetter } from './fold-case.ts'
import { compileGlob } from './glob.ts'

/** How a file is called. Both paths use `/` on every platform. */
interface NamedFile {
  readonly name: string
  /** Path below the root. */
  readonly relativePath: () => string
  readonly fullPath: () => string
}

/** Decides whether a file matches. */
type NameMatcher = (file: NamedFile) => boolean

/**
 * Compiles a search text: a case-insensitive part of the file's name, or a glob.
 *
 * A text with a slash is held against the whole path. A glob without a slash is held against the name, one with a slash
 * against the path relative to the root, and against the whole path if it begins with a slash or a drive.
 * Every blank of Unicode counts as a space, and every dash as `-` outside globs.
 * A name that holds the text literally matches too, so `notes[1].txt` finds itself.
 * An empty text matches nothing.
 *
 * @throws {Error} when a glob is too complicated to be matched in bounded time.
 */
export function createNameMatcher(query: string, platform: NodeJS.Platform = process.platform): NameMatcher {
  const trimmed = query.trim()
  const text = platform === 'win32' ? trimmed.replaceAll('\\', '/') : trimmed
  if (text === '') return () => false
  const hasSlash = text.includes('/')
  const part = foldDashes(foldCase(text))
  const holdsText = (name: string): boolean =>
    name.includes(text) || foldDashes(foldCase(name)).includes(part)
  if (!isGlob(text)) {
    return hasSlash ? ({ fullPath }) => holdsText(fullPath()) : ({ name }) => holdsText(name)
  }
  const matches = createGlobMatcher(text)
  const isAbsolute = /^(?:[a-z]:)?\//i.test(text)
  return ({ name, relativePath, fullPath }) => {
    if (holdsText(name)) return true
    if (!hasSlash) return matches(name)
    return matches(relativePath()) || (isAbsolute && matches(fullPath().replace(/^\/+/, '')))
  }
}

function isGlob(text: string): boolean {
  return /[*?]|\[.+\]|\{.+\}/.test(text)
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
