/** A piece of a file as services take it. */
export interface FilePart {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Whether the file ends with it. */
  readonly isLast: boolean
}

/**
 * Cuts a stream into parts of `partBytes`; only the last may be smaller, and it is empty only where the file is. One part
 * is held in memory at a time.
 */
export async function* gatherParts(
  content: AsyncIterable<Uint8Array>,
  partBytes: number,
  signal: AbortSignal,
): AsyncGenerator<FilePart, void> {
  let held = new Uint8Array(Math.min(partBytes, 64 * 1024))
  let heldBytes = 0
  for await (const chunk of content) {
    signal.throwIfAborted()
    let rest = chunk
    while (rest.length > 0) {
      if (heldBytes === partBytes) {
        yield { bytes: held, isLast: false }
        held = new Uint8Array(partBytes)
        heldBytes = 0
      }
      const taken = rest.subarray(0, partBytes - heldBytes)
      held = grow(held, heldBytes + taken.length, partBytes)
      held.set(taken, heldBytes)
      heldBytes += taken.length
      rest = rest.subarray(taken.length)
    }
  }
  signal.throwIfAborted()
  yield { bytes: held.subarray(0, heldBytes), isLast: true }
}

function grow(bytes: Uint8Array<ArrayBuffer>, needed: number, maxBytes: number): Uint8Array<ArrayBuffer> {
  if (needed <= bytes.length) return bytes
  const larger = new Uint8Array(Math.min(maxBytes, Math.max(needed, bytes.length * 2)))
  larger.set(bytes)
  return larger
}
