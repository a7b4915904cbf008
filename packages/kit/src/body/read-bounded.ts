/** All bytes of a body, or undefined if there are more than `maxBytes`: the rest is not read then. */
export async function readBounded(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const gathered = gatherBytes(maxBytes)
  for await (const chunk of chunks) if (!gathered.add(chunk)) return undefined
  return gathered.bytes()
}

/** The chunks of a stream, which is cancelled if not all are read. Not every browser can iterate over a stream itself. */
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

/** A body that is read whole, as it comes. */
export interface GatheredBytes {
  /** @returns false from the chunk on with which there are more than `maxBytes`. */
  add(chunk: Uint8Array): boolean
  /** What came so far. */
  bytes(): Uint8Array
}

/**
 * Gathers a body in one buffer that grows: a chunk costs hundreds of bytes besides those that it holds, so that of very many
 * small ones a body within its limit would take gigabytes. What comes as one chunk is not copied.
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
