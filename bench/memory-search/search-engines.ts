import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { createSqliteStore } from '@homeward/agent-runtime/sqlite'

/** Results that a question gets. */
const wantedResults = 10

/** Keeps texts and finds them by questions. */
interface SearchEngine {
  load(texts: readonly string[]): Promise<void>
  /** Numbers of the texts that were found, the best first. */
  search(question: string): Promise<readonly number[]>
}

export type EngineName = keyof typeof searchEngines

/** Those that are held against each other. Each gets a folder of its own. */
export const searchEngines = {
  'agent-runtime': createRuntimeEngine,
  'plain FTS5': createPlainEngine,
  minisearch: createMiniSearchEngine,
} satisfies Readonly<Record<string, (home: string) => SearchEngine | Promise<SearchEngine>>>

function createRuntimeEngine(home: string): SearchEngine {
  const store = createSqliteStore({ path: join(home, 'agents.db') })
  const now = new Date().toISOString()
  return {
    async load(texts) {
      const agentId = 'bench'
      const atOnce = 512
      for (let start = 0; start < texts.length; start += atOnce) {
        const group = texts.slice(start, start + atOnce)
        const rows = group.map((text, index) => {
          return { id: String(start + index), agentId, text, tags: [], createdAt: now }
        })
        await Promise.all(rows.map((row) => store.writeMemory(row)))
      }
    },
    async search(question) {
      const query = { agentId: 'bench', text: question, limit: wantedResults, now }
      const found = await store.searchMemories(query)
      return found.map(({ memory }) => Number(memory.id))
    },
  }
}

/** What one writes without further thought: every word of the question, joined by OR, ranked by FTS5. */
function createPlainEngine(home: string): SearchEngine {
  const database = new DatabaseSync(join(home, 'plain.db'))
  database.exec('pragma journal_mode = wal; pragma cache_size = -65536')
  database.exec("create virtual table texts using fts5(text, tokenize = 'unicode61')")
  const insert = database.prepare('insert into texts (rowid, text) values (?, ?)')
  const find = database.prepare('select rowid from texts where texts match ? order by rank limit ?')
  return {
    async load(texts) {
      database.exec('begin')
      for (const [index, text] of texts.entries()) insert.run(index + 1, text)
      database.exec('commit')
    },
    async search(question) {
      const words = question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
      const match = [...new Set(words)].map((word) => `"${word}"`).join(' OR ')
      return find.all(match, wantedResults).map(({ rowid }) => Number(rowid) - 1)
    },
  }
}

/** The part of minisearch that is used: its types are there only where bench/peers is installed. */
interface MiniSearch {
  addAll(documents: readonly { id: number; text: string }[]): void
  search(query: string): { id: number }[]
}

async function createMiniSearchEngine(): Promise<SearchEngine> {
  const address = new URL('../peers/node_modules/minisearch/dist/es/index.js', import.meta.url)
  const loaded: unknown = await import(address.href)
  const { default: Index } = loaded as { default: new (options: { fields: string[] }) => MiniSearch }
  const index = new Index({ fields: ['text'] })
  return {
    async load(texts) {
      index.addAll(texts.map((text, id) => ({ id, text })))
    },
    async search(question) {
      const found = index.search(question)
      return found.slice(0, wantedResults).map(({ id }) => id)
    },
  }
}
