// As in the paper that proposed it: it keeps the first few places from outweighing everything else.
const damping = 60

/** How far down two rankings are joined, for each result that is wanted. */
export const fusedPerResult = 4

/**
 * Joins rankings of the same things, each best first, into one (reciprocal rank fusion).
 *
 * @returns each thing once with its score, best first; a higher score is better.
 */
export function fuseRanks<Item>(rankings: readonly (readonly Item[])[]): { item: Item; score: number }[] {
  const scores = new Map<Item, number>()
  for (const ranking of rankings) {
    for (const [index, item] of ranking.entries()) {
      scores.set(item, (scores.get(item) ?? 0) + 1 / (damping + index + 1))
    }
  }
  return [...scores].map(([item, score]) => ({ item, score })).toSorted((a, b) => b.score - a.score)
}
