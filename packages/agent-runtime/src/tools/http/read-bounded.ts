import type { Readable, Transform } from 'node:stream'
import { createBoundedOutput } from '../exec/bounded-output.ts'

/**
 * Reads a body, decompressed, until it ends or has more than `maxBytes`; then the rest is never fetched.
 *
 * @param encoding Its Content-Encoding.
 */
export async function readBounded(
  source: Readable,
  encoding: string | undefined,
  maxBytes: number,
): Promise<{ body: Uint8Array; truncated: boolean }> {
  const decoder = await decoderFor(encoding?.trim().toLowerCase() ?? '')
  const kept = createBoundedOutput(maxBytes)
  const stream = decoder === undefined ? source : pipe(source, decoder)
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      kept.add(chunk)
      if (kept.truncated) break
    }
  } finally {
    source.destroy()
  }
  return { body: kept.content(), truncated: kept.truncated }
}

async function decoderFor(encoding: string): Promise<Transform | undefined> {
  if (!['gzip', 'x-gzip', 'deflate', 'br'].includes(encoding)) return undefined
  const { createBrotliDecompress, createGunzip, createInflate } = await import('node:zlib')
  if (encoding === 'br') return createBrotliDecompress()
  return encoding === 'deflate' ? createInflate() : createGunzip()
}

function pipe(source: Readable, decoder: Transform): Transform {
  let isEmpty = true
  source.once('data', () => (isEmpty = false))
  source.once('end', () => {
    // 204, 304, HEAD and the like: no bytes are nothing, whatever their encoding; a decoder would call that cut off
    if (isEmpty) decoder.push(null)
    else decoder.end()
  })
  source.once('error', (error) => decoder.destroy(error))
  source.once('aborted', () => decoder.destroy(new Error('the body was cut off')))
  return source.pipe(decoder, { end: false })
}
