// How many rows Postgres reads for what would be slow if it read them all: docs/guides/scaling.md, "What grows with what".
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  connect,
  createPostgresBuilder,
  createRunStep,
  type OwnConnection,
  runPlan,
} from '@homeward/kit/postgres'
import type { MemoryQuery } from '../ports/memory-store.ts'
import type { RuntimeStore } from '../ports/runtime-store.ts'
import type { Plan } from '../sql/plan.ts'
import { createRuntimePlans } from '../sql/runtime-plans.ts'
import type { RuntimeTables } from '../sql/schema.ts'
import { createUsagePlans } from '../sql/usage/usage-plans.ts'
import { at, finishOf, leaseOf, memoryOf, runOf } from '../../testing/conformance-fixtures.ts'
import { claimOf, taskOf } from '../../testing/tasks/task-fixtures.ts'
import { connectionDefaults } from './connection-settings.ts'
import { createPostgresChunkPlans } from './chunk-plans.ts'
import { createPostgresStore } from './index.ts'
import { createPostgresJournalPlans } from './create-postgres-store.ts'
import { memoryShape } from '../sql/memories/memory-row.ts'
import { toScope } from './lexemes.ts'
import { createMemoryPlans } from './memory-plans.ts'
import { createMemoryReads } from './memory-statements.ts'
import { journalField } from './create-postgres-store.ts'
import { createPostgresRunWords } from './create-postgres-store.ts'
import type { TestDatabase } from './testing/test-database.ts'
import { createTestDatabase } from './testing/test-database.ts'
import { createWordSearch } from './word-search.ts'

const schema = 'rows'
const builder = createPostgresBuilder<RuntimeTables>()
const runStep = createRunStep()
let database: TestDatabase
let store: RuntimeStore
let client: OwnConnection

beforeAll(async () => {
  database = await createTestDatabase()
  const { connectionString } = database
  store = await createPostgresStore({ connectionString, schema })
  const connections = await connect({ connectionString, schema }, connectionDefaults)
  client = connections.createClient()
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await store.close()
  await database.drop()
})

/** Rows of a table that the transaction has read, one by one or by an index. */
async function readRows(table: string): Promise<number> {
  const { rows } = await client.query(
    `select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_xact_user_tables
      where schemaname = $1 and relname = $2`,
    [schema, table],
  )
  const [row] = rows as { readonly read: number }[] // of the one column that is selected
  return row?.read ?? 0
}

/** Runs a plan by the very statements of the store, and counts what Postgres read of a table for it. */
async function countRead<Result>(table: string, plan: Plan<Result>) {
  await client.query('begin')
  const before = await readRows(table)
  const result = await runPlan(
    plan,
    (step) => runStep(client, step),
    () => {},
  )
  const read = (await readRows(table)) - before
  await client.query('commit')
  return { result, read }
}

/** Adds rows like those with an id, with other ids, and with some other values. */
async function addCopies(table: string, id: string, count: number, values: Record<string, string> = {}) {
  const columns = await database.query(
    `select column_name as name from information_schema.columns
      where table_schema = $1 and table_name = $2 and column_name not in ('seq', 'id')`,
    [schema, table],
  )
  const names = columns.map(({ name }) => String(name))
  const copied = names.map((name) => values[name] ?? name)
  await database.query(`insert into ${schema}.${table} (id, ${names.join()})
    select '${id}-' || (select count(*) from ${schema}.${table}) + i, ${copied.join()}
    from ${schema}.${table}, generate_series(1, ${count}) as i where id = '${id}'`)
}

it('A7: a claim reads as many rows whether 80 tasks wait or 50,000, with statistics of them or without', async () => {
  const plans = createRuntimePlans(
    builder,
    {
      ...createPostgresRunWords(builder),
      ...createMemoryPlans(builder, { maxVectors: 9 }),
      ...createPostgresChunkPlans(builder, { maxVectors: 9 }),
    },
    createPostgresJournalPlans(builder),
  )
  /** Rows that were read for a claim of one, at the most, and for a claim of eight. */
  const claimSome = async () => {
    const reads: number[] = []
    // from the sixth time on Postgres may keep a plan
    for (let index = 0; index < 8; index += 1) {
      const { result, read } = await countRead('tasks', plans.claimTasks(claimOf()))
      expect(result).toHaveLength(1)
      reads.push(read)
    }
    const { result, read } = await countRead('tasks', plans.claimTasks(claimOf({ limit: 8 })))
    expect(result).toHaveLength(8)
    return [Math.max(...reads), read] as const
  }
  const agents = ['a', 'b', 'c', 'd']
  for (const id of agents)
    for (let index = 0; index < 20; index += 1)
      await store.insertTask(taskOf(`${id}${index}`, { subject: { kind: 'agent', id } }), [])
  const few = await claimSome()
  for (const id of agents) {
    await addCopies('tasks', `${id}19`, 6250)
    await addCopies('tasks', `${id}19`, 6250, { ready: '0', run_at: "'2999-01-01T00:00:00.000Z'" })
  }
  const many = await claimSome()
  await database.query(`analyze ${schema}.tasks`)
  const known = await claimSome()
  for (const [one, eight] of [few, many, known]) {
    // the task, and those that run already, once for each look at how many do
    expect(one).toBeLessThan(60)
    expect(eight).toBeLessThan(200)
  }
})

it('D19: the usage of a time is summed up from the events of its day and the days about it', async () => {
  const plans = createUsagePlans(builder, journalField)
  // A model call each minute of 30 days.
  await database.query(`insert into ${schema}.journal (type, timestamp, data)
    select 'model.completed', to_char(timestamp '2026-01-01' + i * interval '1 minute', 'YYYY-MM-DD"T"HH24:MI:SS.000Z'), '{}'
    from generate_series(0, 30 * 24 * 60 - 1) as i; analyze ${schema}.journal`)
  const at10 = { from: '2026-01-10T10:00:00.000Z', to: '2026-01-10T11:00:00.000Z' }
  const sum = plans.sumUsage({ ...at10, interval: 'hour', limit: 10 })
  const { result, read } = await countRead('journal', sum)
  expect(result.map(({ calls }) => calls)).toEqual([60])
  expect(read).toBeLessThan(2 * 24 * 60 + 60 + 100)
})

it('reads of runs that failed or were cancelled no more than the page, among however many that are done', async () => {
  const plans = createRuntimePlans(
    builder,
    {
      ...createPostgresRunWords(builder),
      ...createMemoryPlans(builder, { maxVectors: 9 }),
      ...createPostgresChunkPlans(builder, { maxVectors: 9 }),
    },
    createPostgresJournalPlans(builder),
  )
  for (const [index, status] of (['failed', 'cancelled', 'completed'] as const).entries()) {
    await store.insertRun(runOf(status, { createdAt: at(index) }), leaseOf(), [])
    await store.finishRun(finishOf(status, { status }))
  }
  await addCopies('runs', 'completed', 20_000)
  await database.query(`analyze ${schema}.runs`)
  for (const status of ['failed', 'cancelled'] as const) {
    const { result, read } = await countRead('runs', plans.listRuns({ status }, { limit: 20 }))
    expect(result.rows.map(({ id }) => id)).toEqual([status])
    expect(read).toBeLessThan(5)
  }
})

/** Searches memories and counts the texts that were read for it; one more row, the newest, tells its number. */
function createAsk() {
  const search = createWordSearch({
    ...memoryShape,
    reads: createMemoryReads(builder),
    scopeOf: (query: MemoryQuery) => toScope(query),
  })
  return async (text: string, filter: Partial<MemoryQuery> = {}) => {
    const plan = search({ text, limit: 10, now: at(1), ...filter })
    const { result, read } = await countRead('memories', plan)
    return { result, read: read - 1 }
  }
}

it('A11: a search reads at most 4,000 texts that have its rarer words, and the newest 500 that have the common ones', async () => {
  const ask = createAsk()
  // Behind a vacuum the newest row is found in the index alone, and counts no more.
  await database.query(`alter table ${schema}.memories set (autovacuum_enabled = false)`)
  await store.writeMemory(memoryOf('zebra', 'the weather of zebras'))
  await store.writeMemory(memoryOf('lion', 'the weather of lions'))
  await store.writeMemory(memoryOf('other', 'the weather', { agentId: 'a2' }))
  await addCopies('memories', 'lion', 3500)
  await addCopies('memories', 'zebra', 3800)
  await addCopies('memories', 'other', 10_000)
  await addCopies('memories', 'lion', 2500)
  const texts = 3 + 3500 + 3800 + 10_000 + 2500
  const words = 4 * (texts - 10_001) + 2 * 10_001
  await database.query(
    `update ${schema}.memory_totals set texts = ${texts}, words = ${words}; analyze ${schema}.memories`,
  )
  // In how many texts a common word is has to be counted once.
  expect((await ask('the weather of lions and zebras')).read).toBeGreaterThan(texts)
  expect((await ask('the weather', { agentId: 'a2' })).read).toBeGreaterThan(10_000)

  const reads = async (text: string, filter?: Partial<MemoryQuery>) => {
    await ask(text, filter)
    const { result, read } = await ask(text, filter)
    expect(result).toHaveLength(10)
    return read
  }
  expect(await reads('zebras')).toBe(3801)
  expect(await reads('lions')).toBe(500)
  expect(await reads('the weather')).toBe(500)
  expect(await reads('the weather of lions and zebras')).toBe(3801)
  expect(await reads('the weather', { agentId: 'a1' })).toBe(500)
  // With a filter it counts on words that are spread evenly; here half of the texts pass it, and all of the lions.
  expect(await reads('lions', { agentId: 'a1' })).toBe(6001)
})

it('A11: a search reads at most the newest 20,000 texts, and of those that match any 500, however old what it asks for is', async () => {
  const ask = createAsk()
  await database.query(`truncate ${schema}.memories`)
  await store.writeMemory(memoryOf('few', 'an old stone', { agentId: 'few' }))
  await addCopies('memories', 'few', 3000)
  await store.writeMemory(memoryOf('many', 'an old stone', { agentId: 'many' }))
  await addCopies('memories', 'many', 6000)
  await store.writeMemory(memoryOf('new', 'the rain', { agentId: 'new' }))
  await addCopies('memories', 'new', 50_000)
  await database.query(
    `update ${schema}.memory_totals set texts = 59003, words = 127000; analyze ${schema}.memories`,
  )
  const reads = async (text: string, filter?: Partial<MemoryQuery>) => {
    await ask(text, filter)
    const { result, read } = await ask(text, filter)
    return [result.length, read]
  }
  // Nothing within the filter has a word of the question.
  expect(await reads('the rain', { agentId: 'few' })).toEqual([0, 0])
  expect(await reads('the rain', { agentId: 'many' })).toEqual([0, 20_000])
  // All of it has, and all of it is old.
  expect(await reads('an old stone', { agentId: 'few' })).toEqual([10, 3001])
  expect(await reads('an old stone')).toEqual([10, 20_500])
  expect(await reads('the rain')).toEqual([10, 500])
})

it('A11: a search by meaning reads what its filter lets through, where that is little, and not what lies behind it', async () => {
  const plans = createMemoryPlans(builder, { maxVectors: 10_000 })
  const embedding = Float32Array.of(1, 0, 0)
  await database.query(`truncate ${schema}.memories`)
  await store.writeMemory(memoryOf('few', 'an old stone', { agentId: 'few', embedding }))
  await addCopies('memories', 'few', 1500)
  await store.writeMemory(memoryOf('nearest', 'an old stone', { agentId: 'few', embedding }))
  await store.writeMemory(memoryOf('new', 'the rain', { agentId: 'new', embedding }))
  await addCopies('memories', 'new', 20_000)
  await database.query(
    `update ${schema}.memory_totals set texts = 21503, words = 44506; analyze ${schema}.memories`,
  )
  const ask = (agentId: string) =>
    countRead(
      'memories',
      plans.searchMemories({ text: 'nothing', agentId, embedding, limit: 10, now: at(1) }),
    )
  for (const agentId of ['few', 'new']) await ask(agentId)
  const few = await ask('few')
  expect(few.result).toHaveLength(10)
  // Their numbers, then their vectors; the memories that were found, and a row for the totals.
  expect(few.read).toBeLessThan(2 * 1502 + 50)
  const many = await ask('new')
  expect(many.result).toHaveLength(10)
  expect(many.read).toBeLessThan(10_000 + 50)
})
