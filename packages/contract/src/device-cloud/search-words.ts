import { foldAccents, foldCase, foldDashes } from '@homeward/kit'

/** A file as words are held against it. */
export interface WordSubject {
  readonly name: string
  /** Path below the root, or the whole path where no root is known. Words may stand in it. */
  readonly path: () => string
  /** The whole path, for a text with a slash. @default path */
  readonly fullPath?: () => string
}

/** A search text as C27 reads it. */
export interface SearchWords {
  /** What names must hold, without accents: each is a part of the name or of the path. */
  readonly plain: readonly string[]
  /** Whether every word occurs, and one of them in the name. */
  matches(subject: WordSubject): boolean
  /** How well a name fits: 0 for the whole name, 1 for starts of words, 2 for the rest, and 3 more without its accents. */
  rank(name: string): number
}

/** Makes names comparable: case, accents, spaces and dashes do not count. */
export const foldName = (name: string): string => foldAccents(foldDashes(foldCase(name)))

/** A text with one of these is a glob. */
const isGlob = (text: string): boolean => /[*?]|\[.+\]|\{.+\}/.test(text)

/**
 * Reads a search text as words (C27): in any order, each a part of the name or of the path, `"two words"` one piece.
 * Undefined for a glob, and for a text without words.
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
