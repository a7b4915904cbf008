import { fusedPerResult, fuseRanks } from '../../ranking/fuse-ranks.ts'
import type { NearVector } from '../../ranking/nearest-vectors.ts'
import type { Plan } from '../plan.ts'
import type { WordMatch } from './rank-rows.ts'

/** What is asked. */
interface FusedQuery {
  readonly limit: number
  readonly embedding?: Float32Array | undefined
}

/** How a database finds things. */
interface Searches<Query, Item> {
  /** By the words of the question, the best first. */
  searchWords(query: Query): Plan<WordMatch<Item>[]>
  /** By nearness to a vector, the nearest first. */
  searchVectors(query: Query, target: Float32Array, limit: number): Plan<NearVector<number>[]>
  /** Things by their numbers. */
  read(seqs: readonly number[]): Plan<ReadonlyMap<number, Item>>
}

/** Finds things by words; with an embedding by words and by meaning, the two rankings joined into one. */
export function createFusedSearch<Query extends FusedQuery, Item>({
  searchWords,
  searchVectors,
  read,
}: Searches<Query, Item>) {
  return function* search(query: Query): Plan<{ item: Item; score: number }[]> {
    if (query.embedding === undefined) {
      return (yield* searchWords(query)).map(({ item, score }) => ({ item, score }))
    }
    const depth = query.limit * fusedPerResult
    const byWords = yield* searchWords({ ...query, limit: depth })
    const near = yield* searchVectors(query, query.embedding, depth)
    const rankings = [byWords.map(({ seq }) => seq), near.map(({ key }) => key)]
    const fused = fuseRanks(rankings).slice(0, query.limit)
    const known = new Map(byWords.map((match) => [match.seq, match.item]))
    const others = yield* read(fused.map(({ item }) => item).filter((seq) => !known.has(seq)))
    return fused.flatMap(({ item: seq, score }) => {
      const item = known.get(seq) ?? others.get(seq)
      return item === undefined ? [] : [{ item, score }]
    })
  }
}
