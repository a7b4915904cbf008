import { nextFence } from './fence-state.ts'
import type { OpenFence } from './fence-state.ts'

/**
 * Where a text is cut so that at most `room` characters stand before the cut: behind `start`, at least one character.
 * Looks at no more than twice the room, so that a whole text takes linear time.
 */
export function findCut(source: string, start: number, room: number, open: OpenFence | undefined): number {
  if (source.length - start <= room) return source.length
  const window = source.slice(start, start + room)
  const lines = scanLines(window, open)
  const half = room / 2
  if (lines.openedAt > 0) {
    const isWhole = fitsWhole(source.slice(start + lines.openedAt, start + lines.openedAt + room))
    if (isWhole || lines.openedAt > half) return start + lines.openedAt
  }
  if (lines.paragraph > half) return start + lines.paragraph
  if (lines.line > half || (lines.isCode && lines.line > 0)) return start + lines.line
  const inLine = lines.isCode ? -1 : findInLine(window, half)
  if (inLine < 0 && lines.line > 0) return start + lines.line
  return awayFromFence(source, start, inLine > 0 ? start + inLine : hardCut(source, start, start + room))
}

interface Lines {
  /** The last cut between paragraphs, or 0. */
  readonly paragraph: number
  /** The last cut between lines, or 0. */
  readonly line: number
  /** Where the block of code begins that is open at the end, or 0. */
  readonly openedAt: number
  /** Whether the end is inside of a block of code. */
  readonly isCode: boolean
}

function scanLines(window: string, open: OpenFence | undefined): Lines {
  let fence = open
  let paragraph = 0
  let line = 0
  let openedAt = 0
  let at = 0
  while (at < window.length) {
    const end = window.indexOf('\n', at)
    const content = end < 0 ? window.slice(at) : window.slice(at, end)
    const after = nextFence(content, fence)
    if (after && !fence) openedAt = at
    const behind = end < 0 ? window.length : end + 1
    if (end >= 0) {
      // no cut right behind the line that opens a block
      if (!after || fence) line = behind
      if (!after && (fence || content.trim() === '')) paragraph = behind
    }
    if (!after) openedAt = 0
    fence = after
    at = behind
  }
  return { paragraph, line, openedAt, isCode: fence !== undefined }
}

/** Whether the block of code that a text begins with ends in it. */
function fitsWhole(text: string): boolean {
  const lines = text.split('\n')
  // the last line may go on behind the text
  lines.pop()
  let fence: OpenFence | undefined
  for (const [index, line] of lines.entries()) {
    fence = nextFence(line, fence)
    if (index > 0 && !fence) return true
  }
  return false
}

/** Behind the last sentence, else behind the last word, of the second half; -1 when there is none. */
function findInLine(window: string, half: number): number {
  let word = -1
  for (let at = window.length; at > half; at -= 1) {
    const last = window.charAt(at - 1)
    if ('。！？'.includes(last)) return at
    if (last.trim() !== '') continue
    if ('.!?…:;'.includes(window.charAt(at - 2))) return at
    if (word < 0) word = at
  }
  return word
}

/** Before the character (with all that belongs to it) that the limit would cut in two. */
function hardCut(source: string, start: number, limit: number): number {
  const from = Math.max(start, limit - 64)
  const around = new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(
    source.slice(from, limit + 16),
  )
  const whole = around.containing(limit - from)?.index ?? limit - from
  if (whole > 0) return from + whole
  // one endless character: only what is one code point stays together
  if (!isLowSurrogate(source, limit)) return limit
  return limit - 1 > start ? limit - 1 : limit + 1
}

/** Not where the rest would begin with what looks like the start of a block of code. */
function awayFromFence(source: string, start: number, cut: number): number {
  for (let at = cut; at > start && at > cut - 32; at -= 1) {
    const line = source.slice(at, at + 256).split('\n', 1)[0] ?? ''
    if (!nextFence(line, undefined) && !isLowSurrogate(source, at)) return at
  }
  return cut
}

function isLowSurrogate(source: string, at: number): boolean {
  const unit = source.charCodeAt(at)
  const before = source.charCodeAt(at - 1)
  return unit >= 0xdc00 && unit <= 0xdfff && before >= 0xd800 && before <= 0xdbff
}
