/** Keeps the beginning of a stream and forgets the rest, so that a flood does not fill memory. */
export interface BoundedOutput {
  add(chunk: Uint8Array): void
  readonly bytes: number
  readonly truncated: boolean
  content(): Uint8Array
  /** Up to `maxBytes` as text, cut between characters. */
  text(maxBytes: number): BoundedText
}

/** A text of a bounded size. */
export interface BoundedText {
  readonly text: string
  /** Whether it goes on behind what is here. */
  readonly truncated: boolean
}

/** @param maxBytes Largest number of bytes that is kept. */
export function createBoundedOutput(maxBytes: number): BoundedOutput {
  const chunks: Uint8Array[] = []
  let kept = 0
  let truncated = false
  return {
    add(chunk) {
      const piece = chunk.subarray(0, Math.max(0, maxBytes - kept))
      if (piece.length < chunk.length) truncated = true
      if (piece.length === 0) return
      kept += piece.length
      // a copy: a view would keep all of the larger chunk alive
      chunks.push(piece.length < chunk.length ? Buffer.from(piece) : piece)
    },
    get bytes() {
      return kept
    },
    get truncated() {
      return truncated
    },
    content: () => Buffer.concat(chunks),
    text: (limit) => boundText(Buffer.concat(chunks), limit, truncated),
  }
}

/**
 * Bytes as text of at most `maxBytes` in UTF-8, cut between characters. What is no text becomes marks, which are longer
 * than the bytes they stand for: so a limit is never the number of the bytes.
 *
 * @param isCut Whether the bytes themselves may end inside a character.
 */
export function boundText(bytes: Uint8Array, maxBytes: number, isCut = false): BoundedText {
  const text = decode(bytes, maxBytes, isCut)
  const encoded = Buffer.from(text)
  return encoded.length <= maxBytes
    ? { text, truncated: isCut || bytes.length > maxBytes }
    : { text: decode(encoded, maxBytes, true), truncated: true }
}

/** The beginning of {@link boundText}, for who knows that it is cut. */
export function cutText(bytes: Uint8Array, maxBytes: number): string {
  return boundText(bytes, maxBytes).text
}

function decode(bytes: Uint8Array, maxBytes: number, isCut: boolean): string {
  // a stream decoder holds back the beginning of a character that was cut
  return new TextDecoder().decode(bytes.subarray(0, maxBytes), { stream: isCut || bytes.length > maxBytes })
}
