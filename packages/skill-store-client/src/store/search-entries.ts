import type { RegistryEntry } from '@homeward/contract/skill-store'

const weights = { slug: 4, name: 3, description: 1 } as const

/**
 * Entries that hold every word of the text in their slug, name or description, best match first: whole words count
 * double, slugs and names more than descriptions. Without words, all entries in the registry's order.
 */
export function searchEntries(entries: readonly RegistryEntry[], text: string): RegistryEntry[] {
  const words = toWords(text)
  if (words.length === 0) return [...entries]
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || (a.entry.slug < b.entry.slug ? -1 : 1))
    .map(({ entry }) => entry)
}

function scoreOf(entry: RegistryEntry, words: readonly string[]): number {
  const fields = Object.entries(weights).map(([field, weight]) => {
    const text = fold(entry[field as keyof typeof weights]) // a key of the table that is walked
    return { text, whole: new Set(toWords(text)), weight }
  })
  const scores = words.map((word) => {
    const hits = fields.map(({ text, whole, weight }) => {
      if (whole.has(word)) return weight * 2
      return text.includes(word) ? weight : 0
    })
    return Math.max(...hits)
  })
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0)
}

const fold = (text: string) => text.normalize('NFKC').toLowerCase()
const toWords = (text: string) => fold(text).match(/[\p{L}\p{N}]+/gu) ?? []
