import { all, type Statement } from '@homeward/kit/sql'
import type { NearVector, VectorOf } from '../../ranking/nearest-vectors.ts'
import { isSameModel, nearestOf, nearestVectors } from '../../ranking/nearest-vectors.ts'
import type { Plan } from '../plan.ts'

/** Vectors read at once: few enough to take little memory. */
const chunk = 500

/** A vector of an index. */
export interface VectorRow {
  readonly seq: number
  readonly embedding: Uint8Array
  /** What made it; null where that is not known. */
  readonly model: string | null
}

/** What is read next: the newest of those before a number. */
interface VectorArgs {
  before: number
  limit: number
}

/** Reads vectors that a filter lets through, the newest first. */
export type ReadVectors = (args: VectorArgs) => Plan<readonly VectorRow[]>

/** What a database brings along for {@link walkVectors}. */
interface VectorReads {
  readonly vectors: Statement<VectorArgs & { now: string }, VectorRow>
  /** Those whose words match. */
  readonly matchingVectors: Statement<VectorArgs & { now: string; match: string }, VectorRow>
}

/** Goes from the newest vector to the oldest. @param match what all of them must match; everything does without it. */
export function walkVectors(reads: VectorReads, now: string, match: string | undefined): ReadVectors {
  return match === undefined
    ? (args) => all(reads.vectors, { ...args, now })
    : (args) => all(reads.matchingVectors, { ...args, now, match })
}

/**
 * Finds the nearest vectors among those that a query's filter lets through, newest first, up to `maxVectors`.
 *
 * @param readsFor how the vectors for a query are read.
 */
export function createVectorSearch<Query extends { readonly embeddingModel?: string | undefined }>(
  readsFor: (query: Query) => ReadVectors,
  { maxVectors }: { readonly maxVectors: number },
) {
  return function* searchVectors(
    query: Query,
    target: Float32Array,
    limit: number,
  ): Plan<NearVector<number>[]> {
    const read = readsFor(query)
    let nearest: NearVector<number>[] = []
    let before = Number.MAX_SAFE_INTEGER
    for (let looked = 0; looked < maxVectors; looked += chunk) {
      const rows = yield* read({ before, limit: Math.min(chunk, maxVectors - looked) })
      const vectors = rows
        .filter(({ model }) => isSameModel(model ?? undefined, query.embeddingModel))
        .map(toVector)
      nearest = nearestOf([...nearest, ...nearestVectors(target, vectors, limit)], limit)
      before = rows.at(-1)?.seq ?? 0
      if (rows.length < chunk) break
    }
    return nearest
  }
}

function toVector({ seq, embedding }: VectorRow): VectorOf<number> {
  const { buffer, byteOffset, byteLength } = embedding
  const aligned = byteOffset % Float32Array.BYTES_PER_ELEMENT === 0
  const vector = aligned
    ? new Float32Array(buffer, byteOffset, byteLength / Float32Array.BYTES_PER_ELEMENT)
    : // A copy that begins where a vector may. `slice` of a Buffer would share its memory.
      new Float32Array(new Uint8Array(embedding).buffer)
  return { key: seq, vector }
}
