import type { Tool } from '../../ports/tool.ts'
import { rarity, wordScore } from '../../store/ranking/bm25.ts'
import { toQueryWords, toWords } from '../../store/ranking/to-words.ts'

/** Characters of a description that are searched. */
const maxDescription = 1000
const maxProperties = 50
/** A word of the name counts as often as so many words of the description. */
const nameWeight = 3
/** Shortest word whose other forms count, such as `issue` and `issues`. */
const minStem = 4
const maxEnding = 3

/** Finds tools by words of their names, descriptions and parameters. */
export interface ToolRanking {
  /** @returns the tools that have at least one word of the query, the best first */
  search(query: string): readonly Tool[]
}

interface IndexedTool {
  readonly tool: Tool
  /** How often each word occurs. */
  readonly counts: ReadonlyMap<string, number>
  readonly length: number
}

/** Builds the index of a list of tools. */
export function rankTools(tools: readonly Tool[]): ToolRanking {
  const indexed = tools.map(toIndexed)
  const corpus = { texts: indexed.length, words: indexed.reduce((sum, { length }) => sum + length, 0) }
  return {
    search(query) {
      const scores = new Map<IndexedTool, number>()
      for (const word of toQueryWords(splitCamelCase(query))) {
        const counted = indexed.map((one) => ({ one, count: countForms(one.counts, word) }))
        const having = counted.filter(({ count }) => count > 0)
        const rare = rarity(corpus, having.length)
        for (const { one, count } of having)
          scores.set(one, (scores.get(one) ?? 0) + wordScore(corpus, rare, count, one.length))
      }
      const wanted = query.trim()
      for (const one of indexed) if (one.tool.id === wanted) scores.set(one, Infinity)
      const ranked = [...scores].toSorted(([, one], [, other]) => compareScores(other, one))
      return ranked.map(([{ tool }]) => tool)
    },
  }
}

const compareScores = (one: number, other: number) => (one === other ? 0 : one - other)

function toIndexed(tool: Tool): IndexedTool {
  const name = toWords(splitCamelCase(tool.id))
  const properties: unknown = tool.inputSchema['properties']
  const fields = Object.keys(properties ?? {}).slice(0, maxProperties)
  const others = toWords(splitCamelCase(`${tool.description.slice(0, maxDescription)} ${fields.join(' ')}`))
  const words = [...Array.from({ length: nameWeight }, () => name).flat(), ...others]
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return { tool, counts, length: words.length }
}

/** `createIssue` has two words. */
const splitCamelCase = (text: string): string => text.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')

/** How often a word or a form of it occurs: a form counts half. */
function countForms(counts: ReadonlyMap<string, number>, word: string): number {
  let count = counts.get(word) ?? 0
  if (word.length < minStem) return count
  for (const [other, times] of counts) if (isForm(other, word)) count += times / 2
  return count
}

function isForm(one: string, other: string): boolean {
  const difference = one.length - other.length
  if (difference === 0 || Math.abs(difference) > maxEnding) return false
  const [short, long] = difference < 0 ? [one, other] : [other, one]
  return short.length >= minStem && long.startsWith(short)
}
