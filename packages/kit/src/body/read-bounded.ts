import { gatherBytes } from './gather-bytes.ts'

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
