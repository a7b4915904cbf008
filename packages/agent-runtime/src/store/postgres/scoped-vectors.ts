import { all, first } from '@homeward/kit/sql'
import type { MemoryQuery } from '../ports/memory-store.ts'
import type { ReadVectors } from '../sql/memories/memory-vectors.ts'
import { walkVectors } from '../sql/memories/memory-vectors.ts'
import type { Plan } from '../sql/plan.ts'
import { toQuery, toScope } from './lexemes.ts'
import type { MemoryReads } from './memory-statements.ts'
import type { CountTexts } from './word-counts.ts'

/**
 * Reads the vectors for a query: all of those that its filter lets through, where they are few, for going from the newest
 * to the oldest would lead through everybody else's.
 *
 * @param few how many are.
 */
export function createScopedVectors(reads: MemoryReads, countTexts: CountTexts, few: number) {
  function* choose(now: string, scope: readonly string[]): Plan<ReadVectors> {
    const match = toQuery(scope, [])
    const totals = yield* first(reads.totals, {})
    const counts = totals === undefined ? [] : yield* countTexts(scope, totals)
    if (Math.min(...counts.map(({ texts }) => texts)) > few) return walkVectors(reads, now, match)
    const rows = yield* all(reads.vectorSeqs, { match, now })
    const seqs = rows.map(({ seq }) => seq).toSorted((a, b) => b - a)
    return ({ before, limit }) =>
      all(reads.vectorsBySeq, { seqs: seqs.filter((seq) => seq < before).slice(0, limit) })
  }

  return (query: MemoryQuery): ReadVectors => {
    const { now } = query
    const scope = toScope(query)
    if (scope.length === 0) return walkVectors(reads, now, undefined)
    let chosen: ReadVectors | undefined
    return function* readNext(args) {
      chosen ??= yield* choose(now, scope)
      return yield* chosen(args)
    }
  }
}
