import { loadGuides } from './guides.ts'

/** A guide that has the words, with the place in its text. */
interface FoundGuide {
  readonly name: string
  readonly title: string
  /** Some words around the first match. */
  readonly excerpt: string
}

const mostFound = 20
const aroundMatch = 60

/** Guides that have all words in their title or text, those with the words in the title first. */
export async function findGuides(text: string): Promise<readonly FoundGuide[]> {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const [first] = words
  if (first === undefined) return []
  const guides = await loadGuides()
  return guides
    .map((guide) => ({ guide, title: guide.title.toLowerCase(), all: guide.text.toLowerCase() }))
    .filter(({ title, all }) => words.every((word) => title.includes(word) || all.includes(word)))
    .toSorted((a, b) => countIn(b.title, words) - countIn(a.title, words))
    .slice(0, mostFound)
    .map(({ guide: { name, title, text: whole }, all }) => ({
      name,
      title,
      excerpt: excerptOf(whole, all.indexOf(words.find((word) => all.includes(word)) ?? first)),
    }))
}

const countIn = (text: string, words: readonly string[]) => words.filter((word) => text.includes(word)).length

/** A line of plain text around a place: without the marks of Markdown. */
function excerptOf(text: string, at: number): string {
  const from = Math.max(0, at - aroundMatch)
  const piece = text.slice(from, at + 2 * aroundMatch).replaceAll(/[`*#|>[\]]|\]\([^)]*\)/g, '')
  return `${from > 0 ? '… ' : ''}${piece.replaceAll(/\s+/g, ' ').trim()} …`
}
