import { closingLine, nextFence, openingLine, type OpenFence } from './fence-state.ts'
import { findCut } from './find-cut.ts'

/** Limits of a piece. */
export interface ChunkOptions {
  /** Maximum size of a piece as counted by `measure`. At least 128. */
  readonly maxLength: number
  /** Returns the size of a text as it will be sent. @default its length in UTF-16 units */
  readonly measure?: (text: string) => number
}

/** A chunk; what keeps its blocks of code whole is apart. */
interface ChunkPiece {
  /** Head of the table that goes on in this chunk. */
  readonly head: string
  /** Opens the block of code anew that the chunk before had to leave. */
  readonly opening: string
  /** Part of the Markdown. */
  readonly text: string
  /** Closes the block of code that goes on in the next chunk. */
  readonly closing: string
}

/**
 * Splits Markdown into pieces that a platform accepts.
 *
 * The text is cut between paragraphs if that wastes less than half of the space, else between lines, sentences or
 * words. A code block stays whole if it fits; otherwise it is closed and opened again. A table that continues in the
 * next piece repeats its head. Emoji and accents are never cut. White space at a cut is removed, as are blank pieces.
 *
 * @throws {RangeError} if `maxLength` is less than 128.
 */
export function chunkMarkdown(markdown: string, options: ChunkOptions): string[] {
  return splitMarkdown(markdown, options).map(toText)
}

/** {@link chunkMarkdown}, with what was added kept apart from the text. */
export function splitMarkdown(markdown: string, options: ChunkOptions): ChunkPiece[] {
  if (!(options.maxLength >= 128)) {
    throw new RangeError(`Splitting text failed: "maxLength" must be at least 128, got ${options.maxLength}.`)
  }
  const source = markdown.replaceAll(/\r\n?/g, '\n')
  const pieces: ChunkPiece[] = []
  let before: Before = { fence: undefined, head: '' }
  let start = skipBlank(source, 0)
  while (start < source.length) {
    const taken = takePiece(source, start, before, options)
    if (taken.piece.text.trim() !== '') pieces.push(taken.piece)
    before = { fence: taken.fence, head: headBehind(source, start, taken, options) }
    start = taken.fence ? taken.end : skipBlank(source, taken.end)
  }
  return pieces
}

/** What a chunk begins in the midst of. */
interface Before {
  readonly fence: OpenFence | undefined
  /** Of a table. */
  readonly head: string
}

interface Taken {
  readonly piece: ChunkPiece
  readonly end: number
  /** The block of code that is open behind it. */
  readonly fence: OpenFence | undefined
}

/** The largest piece that fits. What a cut costs, and what it saves, is known only afterwards: so it is tried. */
function takePiece(
  source: string,
  start: number,
  before: Before,
  { maxLength, measure = lengthOf }: ChunkOptions,
): Taken {
  let room = maxLength
  for (let tries = 1; ; tries += 1) {
    const taken = pieceOf(source, start, findCut(source, start, room, before.fence), before)
    const size = measure(toText(taken.piece))
    if (size <= maxLength || room <= 1)
      return withClosingLine(source, start, before, taken, maxLength, measure)
    const length = taken.end - start
    const share = tries > 6 ? 0.5 : maxLength / size
    room = Math.max(1, Math.min(length - 1, Math.floor(length * share)))
  }
}

/** Takes the line along that closes the block of code anyway: alone it would be a block of nothing. */
function withClosingLine(
  source: string,
  start: number,
  before: Before,
  taken: Taken,
  maxLength: number,
  measure: (text: string) => number,
): Taken {
  if (!taken.fence || taken.end >= source.length) return taken
  const next = source.slice(taken.end, taken.end + 256)
  const lineEnd = next.indexOf('\n')
  const line = lineEnd < 0 ? next : next.slice(0, lineEnd)
  const isMiddle = source[taken.end - 1] !== '\n' || (lineEnd < 0 && taken.end + 256 < source.length)
  if (isMiddle || nextFence(line, taken.fence)) return taken
  const longer = pieceOf(source, start, taken.end + line.length, before)
  return longer.fence === undefined && measure(toText(longer.piece)) <= maxLength ? longer : taken
}

/** The head that the next chunk begins with. A long one would leave no room for rows. */
function headBehind(
  source: string,
  start: number,
  { piece, end, fence }: Taken,
  { maxLength, measure = lengthOf }: ChunkOptions,
): string {
  if (fence || source[end - 1] !== '\n') return ''
  const next = source.slice(end, end + maxLength).split('\n', 1)[0] ?? ''
  const head = headOfOpenTable(piece.head + source.slice(start, end), next)
  return head !== '' && Math.max(head.length, measure(head)) <= maxLength / 4 ? head : ''
}

function pieceOf(source: string, start: number, end: number, { fence: open, head }: Before): Taken {
  const text = source.slice(start, end)
  // from what the chunk shows, not from where the source stands: so each chunk is right by itself
  let fence = open
  for (const line of text.split('\n')) fence = nextFence(line, fence)
  const opening = open ? openingLine(open) : ''
  if (!fence) return { piece: { head, opening, text: text.trimEnd(), closing: '' }, end, fence }
  const closing = (text.endsWith('\n') ? '' : '\n') + closingLine(fence)
  return { piece: { head, opening, text, closing }, end, fence }
}

/** Start of the next line that has something on it; the next character when there is no line break before it. */
function skipBlank(source: string, from: number): number {
  let at = from
  let lineStart = from
  while (at < source.length && source.charAt(at).trim() === '') {
    at += 1
    if (source[at - 1] === '\n') lineStart = at
  }
  if (at === source.length) return at
  return lineStart === from && from > 0 && source[from - 1] !== '\n' ? at : lineStart
}

function toText(piece: ChunkPiece): string {
  return piece.head + piece.opening + piece.text + piece.closing
}

function lengthOf(text: string): number {
  return text.length
}

/**
 * The head of the table in whose midst a text ends: its two lines, or nothing when it ends in none.
 *
 * @param text ends with a line break.
 * @param next the line behind it.
 */
function headOfOpenTable(text: string, next: string): string {
  if (!next.includes('|')) return ''
  const lines = text.split('\n').slice(0, -1)
  const rows = lines.slice(lines.findLastIndex((line) => !line.includes('|')) + 1)
  const rule = rows.findIndex(isRule)
  return rule < 1 ? '' : `${rows[rule - 1]}\n${rows[rule]}\n`
}

/** Whether a line stands between the head of a table and its rows; a quote's marks may stand before it. */
function isRule(line: string): boolean {
  return line.includes('-') && /^[ \t>|:-]+$/.test(line)
}
