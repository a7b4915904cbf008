/** Reads all bytes of a body, or returns undefined if it has more than `maxBytes`. The rest is then not read. */
export async function readBounded(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const gathered = gatherBytes(maxBytes)
  for await (const chunk of chunks) if (!gathered.add(chunk)) return undefined
  return gathered.bytes()
}

/**
 * Iterates over the chunks of a stream, and cancels the stream if not all are read. Some browsers cannot iterate over
 * a stream.
 */
export async function* readChunks(
  stream: ReadableStream<Uint8Array> | null,
): AsyncGenerator<Uint8Array, void> {
  if (stream === null) return
  const reader = stream.getReader()
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value
  } finally {
    // Not awaited: a dead connection would hold it up.
    void reader.cancel().catch(() => {})
  }
}

/** Collects the chunks of a body, up to a limit. */
export interface GatheredBytes {
  /** Adds a chunk. @returns false if the body now has more than `maxBytes`. */
  add(chunk: Uint8Array): boolean
  /** Returns the bytes that have arrived so far. */
  bytes(): Uint8Array
}

/**
 * Collects a body in one growing buffer.
 *
 * A separate buffer for each chunk would cost hundreds of bytes, so a body within its limit, but of very many small
 * chunks, would take gigabytes. A body of a single chunk is not copied.
 */
export function gatherBytes(maxBytes: number): GatheredBytes {
  let held: Uint8Array = new Uint8Array()
  let size = 0
  return {
    add(chunk) {
      const start = size
      size += chunk.length
      if (size > maxBytes) return false
      if (start === 0) {
        held = chunk
        return true
      }
      if (size > held.length) {
        const smaller = held
        held = new Uint8Array(Math.min(size * 2, maxBytes))
        held.set(smaller)
      }
      held.set(chunk, start)
      return true
    },
    bytes: () => held.subarray(0, size),
  }
}
