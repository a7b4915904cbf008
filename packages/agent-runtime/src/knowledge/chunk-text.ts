import type { DocumentPart } from '@homeward/kit/documents'
import type { DocumentChunk } from '../store/ports/document-store.ts'

/** Longest passage, in characters. */
const maxChars = 1500
/** How many characters of a passage the next one repeats: what stands at the border is found with its surroundings. */
const overlap = 150

/** Cuts the parts of a document into passages, each of one page and below one heading. They are made one by one, as they are asked for. */
export function* toChunks(parts: Iterable<DocumentPart>): Generator<Omit<DocumentChunk, 'embedded'>> {
  let place = 0
  for (const { text, page, heading } of parts) {
    let start = 0
    while (start < text.length) {
      const end = endOf(text, start)
      const piece = text.slice(start, end).replaceAll('\0', ' ').toWellFormed().trim()
      if (piece !== '') {
        yield {
          place,
          text: piece,
          ...(page !== undefined && { page }),
          ...(heading !== undefined && { heading }),
        }
        place += 1
      }
      start = end >= text.length ? end : nextStart(text, start, end)
    }
  }
}

const borders = [/\n\s*\n/g, /\n/g, /[.!?…](?=\s)|[。！？]/g, /\s/g]

/** Where a passage ends: behind a paragraph, a line, a sentence or a word, if there is one in its second half. */
function endOf(text: string, start: number): number {
  if (text.length - start <= maxChars) return text.length
  const from = start + Math.floor(maxChars / 2)
  const half = text.slice(from, start + maxChars)
  for (const border of borders) {
    let last = -1
    for (const { 0: found, index } of half.matchAll(border)) last = index + found.length
    if (last > 0) return from + last
  }
  const end = start + maxChars
  // never in the middle of a character
  return /[\ud800-\udbff]/.test(text[end - 1] ?? '') ? end - 1 : end
}

/** Where the next passage begins: at a word of the one before it. */
function nextStart(text: string, start: number, end: number): number {
  const from = Math.max(start + 1, end - overlap)
  const space = /\s/.exec(text.slice(from, end))
  return space ? from + space.index + 1 : end
}
