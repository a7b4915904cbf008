import { sha256 } from '@noble/hashes/sha2.js'
import { HttpError, payloadTooLarge, validationError } from '@homeward/contract/handler'

/** The chunk that is expected. */
interface ExpectedChunk {
  /** Bytes. */
  readonly size: number
  /** SHA-256 in base64. */
  readonly digest: string
}

/** SHA-256 in base64, as `Content-Digest` writes it. */
const toBase64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes))

/**
 * Passes bytes on and fails at their end, before whoever stores them takes them for whole, when they are not the expected
 * ones.
 *
 * @throws {HttpError} 413 for more bytes, 400 for fewer or for others.
 */
export async function* checkChunk(
  content: AsyncIterable<Uint8Array>,
  { size, digest }: ExpectedChunk,
  onBytes: () => Promise<void> | undefined = () => undefined,
): AsyncGenerator<Uint8Array, void> {
  const hash = sha256.create()
  let got = 0
  for await (const bytes of readCut(content)) {
    got += bytes.length
    if (got > size) throw payloadTooLarge('The chunk', size)
    hash.update(bytes)
    await onBytes()
    yield bytes
  }
  if (got < size) throw validationError(`body: ended after ${got} of ${size} bytes`)
  if (toBase64(hash.digest()) !== digest)
    throw validationError('Content-Digest: does not match the bytes that arrived. Send the chunk again.')
}

/** Bytes until `signal` aborts, also while none come: then its reason is thrown. */
export async function* untilAborted(
  content: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const bytes = content[Symbol.asyncIterator]()
  const aborted = Promise.withResolvers<never>()
  aborted.promise.catch(() => {}) // nobody may wait for it
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    for (;;) {
      signal.throwIfAborted()
      const next = await Promise.race([bytes.next(), aborted.promise])
      if (next.done) return
      yield next.value
    }
  } finally {
    signal.removeEventListener('abort', abort)
    // Not awaited: a connection that is dead would hold it up.
    void bytes.return?.()?.catch(() => {})
  }
}

async function* readCut(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  try {
    yield* content
  } catch (error) {
    if (error instanceof HttpError) throw error
    throw Object.assign(validationError('body: the connection was cut'), { cause: error })
  }
}
