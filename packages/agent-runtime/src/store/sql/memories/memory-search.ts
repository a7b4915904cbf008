import type { MemoryQuery, ScoredMemory, StoredMemory } from '../../ports/memory-store.ts'
import { fusedPerResult, fuseRanks } from '../../ranking/fuse-ranks.ts'
import type { NearVector } from '../../ranking/nearest-vectors.ts'
import type { WordMatch } from './memory-ranking.ts'
import type { Plan } from '../plan.ts'

/** How a database finds memories. */
interface MemorySearches {
  /** By the words of the question, the best first. */
  searchWords(query: MemoryQuery): Plan<WordMatch[]>
  /** By nearness to a vector, the nearest first. */
  searchVectors(query: MemoryQuery, target: Float32Array, limit: number): Plan<NearVector<number>[]>
  /** Memories by their numbers. */
  read(seqs: readonly number[]): Plan<ReadonlyMap<number, StoredMemory>>
}

/** Finds memories by words; with an embedding by words and by meaning, the two rankings joined into one. */
export function createMemorySearch({ searchWords, searchVectors, read }: MemorySearches) {
  return function* searchMemories(query: MemoryQuery): Plan<ScoredMemory[]> {
    if (query.embedding === undefined) {
      return (yield* searchWords(query)).map(({ memory, score }) => ({ memory, score }))
    }
    const depth = query.limit * fusedPerResult
    const byWords = yield* searchWords({ ...query, limit: depth })
    const near = yield* searchVectors(query, query.embedding, depth)
    const rankings = [byWords.map(({ seq }) => seq), near.map(({ key }) => key)]
    const fused = fuseRanks(rankings).slice(0, query.limit)
    const known = new Map(byWords.map((match) => [match.seq, match.memory]))
    const others = yield* read(fused.map(({ item }) => item).filter((seq) => !known.has(seq)))
    return fused.flatMap(({ item, score }) => {
      const memory = known.get(item) ?? others.get(item)
      return memory === undefined ? [] : [{ memory, score }]
    })
  }
}
