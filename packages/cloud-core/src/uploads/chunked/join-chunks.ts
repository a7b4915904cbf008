import { HttpError } from '@homeward/contract/handler'
import { checkChunk } from './read-chunk.ts'
import type { ChunkSession } from './chunk-sessions.ts'

/**
 * The bytes of all chunks, one after the other. Each is checked once more: one that the storage damaged is removed, so
 * that the device sends it again.
 *
 * @throws {HttpError} 409 that names the chunk that is missing or damaged.
 */
export async function* joinChunks(session: ChunkSession): AsyncGenerator<Uint8Array, void> {
  for (const [index, digest] of session.plan.digests.entries()) {
    const content = await session.open(index)
    if (content === undefined) throw chunksMissing([index])
    try {
      yield* checkChunk(content, { size: session.sizeOf(index), digest })
    } catch (error) {
      if (!(error instanceof HttpError)) throw error
      await session.remove(index)
      throw chunksMissing([index])
    }
  }
}

/** 409 for chunks that are not there. */
export function chunksMissing(indices: readonly number[]): HttpError {
  const shown = indices.slice(0, 20).join(', ')
  const more = indices.length > 20 ? ` and ${indices.length - 20} more` : ''
  return new HttpError(409, {
    error: 'Conflict',
    message: `Chunks are missing: ${shown}${more}. Send them first.`,
  })
}
