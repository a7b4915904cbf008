import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { UsageQuery, UsageTotal } from '../ports/usage-store.ts'
import { joinUsage, sortUsage } from '../sql/usage/usage-row.ts'
import { at, journalOf } from '../../testing/conformance-fixtures.ts'
import { createSqliteStore } from './index.ts'
import { summedAtOnce } from './create-sqlite-store.ts'

let folder = ''
const seen = new Set<string>()
let store: ReturnType<typeof createSqliteStore>

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeward-usage-'))
  store = createSqliteStore({ path: join(folder, 'agents.db'), onStatement: ({ sql }) => void seen.add(sql) })
})
afterEach(async () => {
  await store.close()
  await rm(folder, { recursive: true })
})

const query: UsageQuery = { from: at(0), to: at(86_400), interval: 'day', limit: 100 }
const callBy = (agent: string) =>
  journalOf('r1', {
    type: 'model.completed',
    timestamp: at(5),
    data: { agent_id: agent, model: 'test/echo', input_tokens: 3, output_tokens: 2 },
  })

async function writeCalls(count: number) {
  for (let written = 0; written < count; written += 1000) {
    const calls = Array.from({ length: 1000 }, (_, index) => callBy(index % 2 === 0 ? 'even' : 'odd'))
    await store.appendEvents(calls)
  }
}

it('D19: sums up many events as if they were one piece, and others have their turn between the pieces', async () => {
  await writeCalls(3 * summedAtOnce)
  let turns = 0
  let isSummedUp = false
  const takeTurns = () => {
    turns += 1
    if (!isSummedUp) setImmediate(takeTurns)
  }
  setImmediate(takeTurns)
  const totals = await store.sumUsage(query)
  isSummedUp = true
  const half = (3 * summedAtOnce) / 2
  const sum = {
    calls: half,
    inputTokens: 3 * half,
    outputTokens: 2 * half,
    cachedInputTokens: 0,
    cacheWriteInputTokens: 0,
    reasoningTokens: 0,
    microUsd: 0,
    pricedCalls: 0,
  }
  expect(totals).toEqual(
    ['even', 'odd'].map((agentId) => ({ start: at(0), agentId, model: 'test/echo', ...sum })),
  )
  expect(turns).toBeGreaterThanOrEqual(2)
})

it('D19: reads no event to find the first and the last of the journal', async () => {
  await writeCalls(1000)
  await store.sumUsage(query)
  const database = new DatabaseSync(join(folder, 'agents.db'))
  const bounds = [...seen].find((sql) => sql.includes('"least"'))
  const steps = database.prepare(`explain query plan ${bounds}`).all()
  database.close()
  // of SQLite, a search for one row; with both in one question it is a scan
  expect(steps.map(({ detail }) => detail)).not.toContain('SCAN journal')
  expect(steps.filter(({ detail }) => detail === 'SEARCH journal')).toHaveLength(2)
})

it('D19: stops between two pieces when nobody waits for the sums any more', async () => {
  await writeCalls(2 * summedAtOnce)
  const controller = new AbortController()
  const summed = store.sumUsage(query, controller.signal)
  setImmediate(() => controller.abort(new Error('gone')))
  await expect(summed).rejects.toThrow('gone')
})

it('D19: pieces give the first sums that the whole gives, whatever the limit', () => {
  const total = fc.record({
    start: fc.constantFrom(at(0), at(3600)),
    agentId: fc.constantFrom('a', 'b', 'c'),
    model: fc.constantFrom('x', 'y'),
    calls: fc.nat(9),
    inputTokens: fc.nat(9),
    outputTokens: fc.nat(9),
    cachedInputTokens: fc.nat(9),
    cacheWriteInputTokens: fc.nat(9),
    reasoningTokens: fc.nat(9),
    microUsd: fc.nat(9),
    pricedCalls: fc.nat(9),
  })
  const limits = fc.integer({ min: 1, max: 13 })
  fc.assert(
    fc.property(fc.array(fc.array(total)), limits, (pieces, limit) => {
      // A database gives the first sums of a piece only, too.
      const sumOf = (some: readonly UsageTotal[], most: number) => joinUsage(some, [], most)
      const joined = pieces.reduce<UsageTotal[]>(
        (known, piece) => joinUsage(known, sumOf(piece, limit), limit),
        [],
      )
      expect(joined).toEqual(sumOf(sortUsage(pieces.flat()), limit))
    }),
  )
})
