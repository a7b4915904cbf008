/** Keeps the beginning of a stream and forgets the rest, so that a flood does not fill memory. */
export interface BoundedOutput {
  add(chunk: Uint8Array): void
  readonly bytes: number
  readonly truncated: boolean
  content(): Uint8Array
  /** Up to `maxBytes` as text, cut between characters. */
  text(maxBytes: number): string
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
    text: (limit) => cutText(Buffer.concat(chunks), limit, truncated),
  }
}

/**
 * Bytes as text of at most `maxBytes`, cut between characters.
 *
 * @param isCut Whether the bytes themselves may end inside a character.
 */
export function cutText(bytes: Uint8Array, maxBytes: number, isCut = false): string {
  const text = decode(bytes, maxBytes, isCut)
  // what is no text becomes marks that are longer than the bytes they stand for
  const encoded = Buffer.from(text)
  return encoded.length <= maxBytes ? text : decode(encoded, maxBytes, true)
}

function decode(bytes: Uint8Array, maxBytes: number, isCut: boolean): string {
  // a stream decoder holds back the beginning of a character that was cut
  return new TextDecoder().decode(bytes.subarray(0, maxBytes), { stream: isCut || bytes.length > maxBytes })
}
