import { answerParent } from '../child.ts'
import { makeCorpus } from './make-texts.ts'
import { searchEngines, type EngineName } from './search-engines.ts'

/** What the process of a search engine can be asked for. */
export type EngineCalls = typeof calls

/** One question: how long it took, and what was found. */
export interface Searched {
  readonly ms: number
  readonly cpuMs: number
  readonly found: readonly number[]
}

const [name = '', home = '', texts = '', count = ''] = process.argv.slice(2)
// The parent passes names of engines only.
const engine = await searchEngines[name as EngineName](home)
const corpus = makeCorpus(Number(texts), Number(count))

const calls = {
  async load(): Promise<number> {
    const startedAt = performance.now()
    await engine.load(corpus.texts)
    return performance.now() - startedAt
  },

  /** Asks some of the questions, one after the other. */
  async search(start: number, end: number): Promise<Searched[]> {
    const searched: Searched[] = []
    for (const { text } of corpus.questions.slice(start, end)) {
      const startedAt = performance.now()
      const cpuBefore = process.cpuUsage()
      const found = await engine.search(text)
      const { user, system } = process.cpuUsage(cpuBefore)
      searched.push({ ms: performance.now() - startedAt, cpuMs: (user + system) / 1000, found })
    }
    return searched
  },
}
answerParent(calls)
