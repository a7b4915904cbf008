import type { MemoryQuery } from '../ports/memory-store.ts'
import type { NearVector, VectorOf } from '../ranking/nearest-vectors.ts'
import { nearestOf, nearestVectors } from '../ranking/nearest-vectors.ts'
import type { Plan } from '../sql/plan.ts'
import { all } from '../sql/plan.ts'
import type { MemoryReads, VectorRow } from './memory-statements.ts'
import { toMatch, toScopeWords } from './memory-words.ts'

/** Vectors read at once: few enough to take little memory. */
const chunk = 500

/** Finds the nearest vectors among those that a query's filter lets through, newest first, up to `maxVectors`. */
export function createVectorSearch(reads: MemoryReads, { maxVectors }: { readonly maxVectors: number }) {
  return function* searchVectors(
    query: MemoryQuery,
    target: Float32Array,
    limit: number,
  ): Plan<NearVector<number>[]> {
    const scope = toScopeWords(query)
    let nearest: NearVector<number>[] = []
    let before = Number.MAX_SAFE_INTEGER
    for (let looked = 0; looked < maxVectors; looked += chunk) {
      const args = { before, now: query.now, limit: Math.min(chunk, maxVectors - looked) }
      const rows =
        scope.length === 0
          ? yield* all(reads.vectors, args)
          : yield* all(reads.matchingVectors, { ...args, match: toMatch(scope, []) })
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
    : new Float32Array(embedding.slice().buffer)
  return { key: seq, vector }
}
