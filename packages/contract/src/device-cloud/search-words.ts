import { foldAccents, foldCase, foldDashes } from '@homeward/kit'

/** A file to match words against. */
export interface WordSubject {
  readonly name: string
  /** Path below the root, or the whole path if no root is known. Words may match it. */
  readonly path: () => string
  /** Whole path, for a text with a slash. @default path */
  readonly fullPath?: () => string
}

/** A search text parsed as words. */
export interface SearchWords {
  /** Words without accents that a name or path must contain. */
  readonly plain: readonly string[]
  /** Whether every word occurs, at least one of them in the name. */
  matches(subject: WordSubject): boolean
  /**
   * Rank of a name: 0 for the whole name, 1 for starts of words, 2 otherwise; plus 3 if it matches only without
   * accents.
   */
  rank(name: string): number
}

/** Normalizes a name for comparison: ignores case, accents, and kinds of spaces and dashes. */
export const foldName = (name: string): string => foldAccents(foldDashes(foldCase(name)))

/** A text with one of these is a glob. */
const isGlob = (text: string): boolean => /[*?]|\[.+\]|\{.+\}/.test(text)

/**
 * Parses a search text as words that must all occur in the name or path, in any order.
 *
 * Text in double quotes counts as one word, such as `"two words"`. Returns undefined for a glob and for a text
 * without words.
 *
 * @example
 * readSearchWords('acme invoice 2024')?.matches({ name: 'invoice Acme 2024-08.txt', path: () => 'a' }) // true
 */
export function readSearchWords(text: string): SearchWords | undefined {
  if (isGlob(text)) return undefined
  const accented = toPieces(foldDashes(foldCase(text)))
  if (accented.length === 0) return undefined
  const plain = accented.map(foldAccents)
  const withAccents = accented.filter((word, index) => word !== plain[index])
  const whole = foldName(text.trim())
  const literal = text.trim()
  const hasSlash = literal.includes('/')
  const rankPlain = (name: string): number => {
    if (name === whole || name.slice(0, Math.max(0, name.lastIndexOf('.'))) === whole) return 0
    if (hasSlash) return whole.endsWith(`/${name}`) ? 0 : 2
    return plain.every((word) => startsWord(name, word)) ? 1 : 2
  }
  return {
    plain,
    matches({ name, path, fullPath = path }) {
      if (hasSlash) {
        const subject = foldName(fullPath())
        return plain.every((word) => subject.includes(word))
      }
      // as it is, because composed letters hide the letters that they begin with
      if (name.includes(literal)) return true
      const folded = foldName(name)
      const others = plain.filter((word) => !folded.includes(word))
      if (others.length === 0) return true
      if (others.length === plain.length) return false
      const subject = foldName(path())
      return others.every((word) => subject.includes(word))
    },
    rank(name) {
      const folded = foldDashes(foldCase(name))
      const lacksAccents = withAccents.some((word) => !folded.includes(word))
      return rankPlain(foldAccents(folded)) + (lacksAccents ? 3 : 0)
    },
  }
}

/** Words and quoted pieces of a folded text. Phones write other quotes than keyboards. */
function toPieces(text: string): string[] {
  const pieces = text.matchAll(/["\u201c\u201d\u201e]([^"\u201c\u201d\u201e]+)["\u201c\u201d\u201e]|(\S+)/gu)
  return [...pieces].map(([, quoted, word]) => (quoted ?? word ?? '').trim()).filter((piece) => piece !== '')
}

function startsWord(name: string, word: string): boolean {
  for (let at = name.indexOf(word); at >= 0; at = name.indexOf(word, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(name[at - 1] ?? '')) return true
  }
  return false
}
