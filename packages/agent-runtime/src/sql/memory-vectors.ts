import type { MemoryQuery } from '../ports/memory-store.ts'
import type { NearVector, VectorOf } from '../ranking/nearest-vectors.ts'
import { nearestOf, nearestVectors } from '../ranking/nearest-vectors.ts'
import type { Plan } from './plan.ts'
import { all } from './plan.ts'
import type { Statement } from './statement.ts'

/** Vectors read at once: few enough to take little memory. */
const chunk = 500

/** A memory's vector. */
export interface VectorRow {
  readonly seq: number
  readonly embedding: Uint8Array
}

interface VectorArgs {
  before: number
  now: string
  limit: number
}

/** What a database brings along for {@link createVectorSearch}. */
export interface VectorReads {
  /** Vectors, the newest first. */
  readonly vectors: Statement<VectorArgs, VectorRow>
  /** Those whose words match. */
  readonly matchingVectors: Statement<VectorArgs & { match: string }, VectorRow>
  /** Words by which the index finds what a query's filter lets through; none when it lets everything through. */
  scopeOf(query: MemoryQuery): readonly string[]
  /** Words as the index is asked for all of them. */
  toMatch(scope: readonly string[]): string
}

/** Finds the nearest vectors among those that a query's filter lets through, newest first, up to `maxVectors`. */
export function createVectorSearch(reads: VectorReads, { maxVectors }: { readonly maxVectors: number }) {
  return function* searchVectors(
    query: MemoryQuery,
    target: Float32Array,
    limit: number,
  ): Plan<NearVector<number>[]> {
    const scope = reads.scopeOf(query)
    let nearest: NearVector<number>[] = []
    let before = Number.MAX_SAFE_INTEGER
    for (let looked = 0; looked < maxVectors; looked += chunk) {
      const args = { before, now: query.now, limit: Math.min(chunk, maxVectors - looked) }
      const rows =
        scope.length === 0
          ? yield* all(reads.vectors, args)
          : yield* all(reads.matchingVectors, { ...args, match: reads.toMatch(scope) })
      nearest = nearestOf([...nearest, ...nearestVectors(target, rows.map(toVector), limit)], limit)
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
