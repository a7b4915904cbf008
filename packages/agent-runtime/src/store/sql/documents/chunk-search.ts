import { all, first } from '@homeward/kit/sql'
import type { ChunkQuery, FoundChunk } from '../../ports/document-store.ts'
import type { Plan } from '../plan.ts'
import { createFusedSearch } from '../search/fused-search.ts'
import type { WordMatch } from '../search/rank-rows.ts'
import { createVectorSearch } from '../search/vector-search.ts'
import { type ChunkItem, chunkShape, type createChunkStatements } from './chunk-rows.ts'

/** Finds chunks by words, and with an embedding by meaning too. */
export function createChunkSearch(
  statements: ReturnType<typeof createChunkStatements>,
  searchWords: (query: ChunkQuery) => Plan<WordMatch<ChunkItem>[]>,
  options: { readonly maxVectors: number },
) {
  const search = createFusedSearch<ChunkQuery, ChunkItem>({
    searchWords,
    searchVectors: createVectorSearch<ChunkQuery>(({ collectionId, userId = '' }) => {
      const statement = userId === '' ? statements.vectors : statements.vectorsOfUser
      return (args) => all(statement, { ...args, collectionId, userId })
    }, options),
    *read(seqs) {
      const found = new Map<number, ChunkItem>()
      for (const seq of seqs) {
        const row = yield* first(statements.bySeq, { seq })
        if (row !== undefined) found.set(seq, chunkShape.toItem(row))
      }
      return found
    },
  })
  return function* searchDocuments(query: ChunkQuery): Plan<readonly FoundChunk[]> {
    const found = yield* search(query)
    return found.map(({ item, score }) => ({ ...toShown(item), score }))
  }
}

function toShown(item: ChunkItem): Omit<FoundChunk, 'score'> {
  const { collectionId: _, userId: __, ...chunk } = item
  return chunk
}
