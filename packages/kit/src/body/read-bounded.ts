import { gatherBytes } from './gather-bytes.ts'

/** Waits for one read, for example with the `race` of a deadline. */
export type ReadRace = <T>(read: Promise<T>) => Promise<T>

/**
 * Reads a body whole, and stops at the limit.
 *
 * @param race waits for each read of a stream. @default waits without a limit
 * @returns undefined if there are more than `maxBytes`; the rest of a stream is cancelled then. Without a body, no bytes.
 */
export async function readBounded(
  body: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | null,
  maxBytes: number,
  race?: ReadRace,
): Promise<Uint8Array | undefined> {
  const gathered = gatherBytes(maxBytes)
  if (body === null) return gathered.bytes()
  for await (const chunk of 'getReader' in body ? chunksOf(body, race) : body) {
    if (!gathered.add(chunk)) return undefined
  }
  return gathered.bytes()
}

/** The chunks of a stream. Not its own iterator, which some browsers do not have and which cannot be raced. */
async function* chunksOf(
  stream: ReadableStream<Uint8Array>,
  race: ReadRace = (read) => read,
): AsyncGenerator<Uint8Array, void> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await race(reader.read())
      if (done) return
      yield value
    }
  } finally {
    // Not awaited: a dead connection would hold it up.
    void reader.cancel().catch(() => {})
  }
}
