import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Connection, createSqliteBuilder, migrate, runPlan } from '@homeward/kit/sqlite'
import { openConnection } from '@homeward/kit/sqlite/node'
import { createTestStore } from '../../testing/create-test-store.ts'
import type { MemoryQuery, StoredMemory } from '../ports/memory-store.ts'
import { at, memoryOf } from '../../testing/conformance-fixtures.ts'
import { createMemoryPlans } from './memory-plans.ts'
import { memoryShape } from '../sql/memories/memory-row.ts'
import { createMemoryReads } from './memory-statements.ts'
import { toScopeWords, toScopeWordsOf } from './memory-words.ts'
import type { RuntimeTables } from '../sql/schema.ts'
import { sqliteMigrations } from './migrations.ts'
import { createWordSearch } from './word-search.ts'

const builder = createSqliteBuilder<RuntimeTables>()
const statements: string[] = []
let connection: Connection

beforeEach(() => {
  statements.length = 0
  const onStatement = ({ sql }: { sql: string }) => void statements.push(sql)
  connection = openConnection({ path: ':memory:', busyTimeoutMs: 0, onStatement })
  migrate(connection, builder, sqliteMigrations)
})
afterEach(() => connection.close())

const write = (memories: readonly StoredMemory[]) => {
  const plans = createMemoryPlans(builder, { maxVectors: 10 })
  for (const memory of memories) runPlan(connection, plans.writeMemory(memory))
}
const searcher = (budget: number) => {
  const search = createWordSearch(
    {
      ...memoryShape,
      reads: createMemoryReads(builder),
      scopeOf: (query: MemoryQuery) => toScopeWords(query),
      scopeOfItem: toScopeWordsOf,
    },
    budget,
  )
  return (text: string, changes: Partial<MemoryQuery> = {}) =>
    runPlan(connection, search({ text, limit: 3, now: at(1), ...changes })).map(({ item }) => item.id)
}
/** Memories that all say `the same`, the last one besides what is rare. */
const crowd = (count: number) =>
  Array.from({ length: count }, (_, index) => memoryOf(`n${index}`, 'the same'))

it('lets rare words find and common ones rank', () => {
  write([...crowd(50), memoryOf('one', 'a zebra in grass'), memoryOf('two', 'the zebra in grass')])
  const search = searcher(10)
  statements.length = 0
  expect(search('the zebra', { limit: 2 })).toEqual(['two', 'one'])
  expect(statements.filter((sql) => sql.includes('rank limit'))).toHaveLength(1)
  expect(statements.filter((sql) => sql.includes('rowid desc'))).toHaveLength(0)
})

it('fills up with texts that have only common words, and never leaves out a rare one', () => {
  write([memoryOf('old', 'zebra'), ...crowd(50)])
  const found = searcher(10)('the same zebra')
  expect(found).toHaveLength(3)
  expect(found[0]).toBe('old')
  expect(searcher(10)('the same')).toEqual(['n49', 'n48', 'n47'])
  expect(searcher(10)('zebra')).toEqual(['old'])
})

it('looks among common words within the filter, however few texts pass it', () => {
  write([memoryOf('mine', 'the same', { agentId: 'a2' }), ...crowd(600)])
  expect(searcher(10)('the same', { agentId: 'a2' })).toEqual(['mine'])
})

it('shows nobody what the filter keeps out, where nearly all texts pass it', () => {
  const others = Array.from({ length: 5 }, (_, index) =>
    memoryOf(`other${index}`, 'zebra zebra the same', { agentId: 'a2' }),
  )
  write([...crowd(100), memoryOf('mine', 'a zebra'), ...others])
  const search = searcher(1000)
  expect(search('zebra', { agentId: 'a1' })).toEqual(['mine'])
  expect(search('the same zebra', { agentId: 'a1', limit: 200 })).toHaveLength(101)
  write(Array.from({ length: 6 }, (_, index) => memoryOf(`late${index}`, 'the same', { agentId: 'a2' })))
  expect(searcher(10)('the same', { agentId: 'a1' })).toEqual(['n99', 'n98', 'n97'])
})

it('counts a common word once, until so many texts have come that it may be far more common', () => {
  write(crowd(600))
  const search = searcher(10)
  const countings = (text: string) => {
    statements.length = 0
    search(text)
    return statements.filter((sql) => sql.includes('memory_word_counts')).length
  }
  expect(countings('the same')).toBe(2)
  expect(countings('the same')).toBe(0)
  expect(countings('the same rare')).toBe(1)
  const others = (name: string) =>
    Array.from({ length: 301 }, (_, index) => memoryOf(`${name}${index}`, 'rare'))
  write(others('later'))
  expect(countings('the same')).toBe(0)
  write(others('last'))
  expect(countings('the same')).toBe(2)
})

it('finds with a small budget what an exact ranking puts first', async () => {
  const words = Array.from({ length: 40 }, (_, index) => `word${index}`)
  // Word n is in every (n + 1)th text.
  const texts = Array.from({ length: 400 }, (_, index) =>
    words.filter((_word, place) => index % (place + 1) === 0).join(' '),
  )
  const memories = texts.map((text, index) => memoryOf(`m${index}`, text))
  write(memories)
  const exact = createTestStore()
  for (const memory of memories) await exact.writeMemory(memory)
  const search = searcher(60)
  for (const question of ['word39 word0 word1', 'word30 word2 word3', 'word20 word25 word1']) {
    const ranked = await exact.searchMemories({ text: question, limit: 400, now: at(1) })
    const [found] = search(question)
    // Texts alike in everything that counts may stand in any order.
    expect(ranked.find(({ memory }) => memory.id === found)?.score).toBeCloseTo(ranked[0]?.score ?? 0)
  }
})
