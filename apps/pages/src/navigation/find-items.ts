/** What an entry of the list leads to. */
export type FoundKind = 'Device' | 'Agent' | 'Run' | 'Page' | 'Setting'

/** One entry that the words lead to. */
export interface FoundItem {
  /** The same for the same target. */
  readonly id: string
  readonly kind: FoundKind
  readonly label: string
  /** Where it belongs, or what else is known of it. */
  readonly detail?: string
  readonly href: string
}

const mostOfOneKind = 5
const mostInAll = 14

/**
 * Entries whose label or detail has every word of the text, best matches first. A kind shows its five best.
 *
 * @param known entries that were already matched elsewhere, such as by the server, are `isMatched`
 */
export function findItems(
  text: string,
  known: readonly (FoundItem & { readonly isMatched?: boolean })[],
): readonly FoundItem[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const counts = new Map<FoundKind, number>()
  return known
    .map((item) => ({ item, rank: item.isMatched === true ? rankOf(item, words) || 1 : rankOf(item, words) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((one, other) => other.rank - one.rank)
    .map(({ item }) => item)
    .filter(({ kind }) => {
      const count = counts.get(kind) ?? 0
      counts.set(kind, count + 1)
      return count < mostOfOneKind
    })
    .slice(0, mostInAll)
}

/** 0 if a word is missing; more if the label begins with the words, and if they begin words of the label. */
function rankOf({ label, detail = '' }: FoundItem, words: readonly string[]): number {
  const name = label.toLowerCase()
  const all = `${name} ${detail.toLowerCase()}`
  if (!words.every((word) => all.includes(word))) return 0
  if (name === words.join(' ')) return 5
  if (name.startsWith(words[0] ?? '')) return 4
  if (words.every((word) => ` ${name}`.includes(` ${word}`))) return 3
  return words.every((word) => name.includes(word)) ? 2 : 1
}
