import type { FileMatch } from '@homeward/contract/device-cloud'
import { foldCase } from '@homeward/kit'

/** Looks for a text in lines, in any letter case. */
interface LineFinder {
  /** Takes the next piece of the file's text. */
  add(piece: string): void
  /** Takes the last line, which has no line break. */
  end(): void
  /** What was found so far, at most `maxMatches` lines. */
  readonly matches: readonly FileMatch[]
  /** Whether further pieces can add nothing. */
  isFull(): boolean
}

/** What bounds a finder. */
export interface LineFinderOptions {
  /** Text that was folded by `foldCase`. */
  readonly folded: string
  readonly maxMatches: number
  /** Characters of a line that a match shows. */
  readonly maxText: number
}

/** A longer line is looked at in pieces of this many characters. */
const maxLine = 65_536
/** Characters that a piece shares with the next one: more than a search text of 1,000 has when its letters are decomposed. */
const shared = 4000

/** Builds the finder of one file. */
export function createLineFinder({ folded, maxMatches, maxText }: LineFinderOptions): LineFinder {
  const matches: FileMatch[] = []
  let rest = ''
  let line = 1

  const look = (text: string): void => {
    if (matches.length >= maxMatches || matches.at(-1)?.line === line) return
    const at = foldCase(text).indexOf(folded)
    if (at >= 0) matches.push({ line, text: shorten(text, unfoldedIndex(text, at), maxText) })
  }
  /** Looks through whole lines. Most hold nothing, so they are first looked at all at once. */
  const lookAt = (lines: string): void => {
    const isWorth = foldCase(lines).includes(folded)
    // Split, because many `indexOf` on the same text take V8 a hundred times as long once it has optimized the loop.
    for (const text of lines.split('\n')) {
      if (isWorth) look(text)
      line += 1
    }
  }
  return {
    matches,
    isFull: () => matches.length >= maxMatches,
    add(piece) {
      const text = rest + piece
      const end = text.lastIndexOf('\n') + 1
      if (end > 0) lookAt(text.slice(0, end - 1))
      rest = text.slice(end)
      while (rest.length > maxLine) {
        look(rest.slice(0, maxLine))
        rest = rest.slice(maxLine - shared)
      }
    },
    end: () => look(rest),
  }
}

/** Where the character begins that stands at `at` of the folded text: folding makes some letters two, and some two one. */
function unfoldedIndex(text: string, at: number): number {
  let from = 0
  let to = text.length
  while (from < to) {
    const middle = Math.ceil((from + to) / 2)
    if (foldCase(text.slice(0, middle)).length <= at) from = middle
    else to = middle - 1
  }
  return from
}

/** A line without its line break, or the part of a long one around `at`. */
function shorten(text: string, at: number, maxText: number): string {
  const line = text.endsWith('\r') ? text.slice(0, -1) : text
  const start = line.length <= maxText ? 0 : Math.max(0, Math.min(at - maxText / 3, line.length - maxText))
  // Stores cannot keep U+0000, and UTF-8 cannot hold half a character.
  return line
    .slice(start, start + maxText)
    .replaceAll('\0', '\uFFFD')
    .toWellFormed()
}
