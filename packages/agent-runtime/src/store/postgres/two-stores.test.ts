import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { RuntimeStore } from '../ports/runtime-store.ts'
import type { StoreSignal } from '../ports/store-signal.ts'
import { race } from '@homeward/kit/testing'
import {
  agentOf,
  appendOf,
  at,
  graphRunOf,
  journalOf,
  leaseOf,
  memoryOf,
  runOf,
  stepOf,
  verdictOf,
  waitingStepOf,
} from '../../testing/conformance-fixtures.ts'
import { claimOf, taskOf } from '../../testing/tasks/task-fixtures.ts'
import type { PostgresStoreOptions } from './index.ts'
import { createPostgresStore } from './index.ts'
import type { TestDatabase } from './testing/test-database.ts'
import { createTestDatabase } from './testing/test-database.ts'
import { emptySchema } from './testing/test-schemas.ts'

const schema = 'shared'
let database: TestDatabase
let open: RuntimeStore[] = []

beforeAll(async () => {
  database = await createTestDatabase()
})
afterEach(async () => {
  await Promise.all(open.map((store) => store.close()))
  open = []
  await emptySchema(database, schema)
})
afterAll(() => database.drop())

const openStore = async (options: PostgresStoreOptions = {}): Promise<RuntimeStore> => {
  const { connectionString } = database
  const store = await createPostgresStore({ connectionString, schema, ...options })
  open.push(store)
  return store
}
const openTwo = async () => [await openStore(), await openStore()] as const

it('makes the tables once, however many open it at the same time', async () => {
  const connectionString = database.connectionString
  const stores = await race(() => createPostgresStore({ connectionString, schema: 'fresh' }))
  expect(await stores[0]?.insertAgent(agentOf('a1'))).toBe(true)
  expect((await stores[7]?.listAgents())?.map(({ id }) => id)).toEqual(['a1'])
  await Promise.all(stores.map((store) => store.close()))
  const versions = await database.query('select version from fresh.migrations order by version')
  expect(versions.map(({ version }) => version)).toEqual([
    8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
  ])
})

it('refuses a schema that a development version wrote, and leaves it as it is', async () => {
  await database.query(`create schema older; create table older.migrations (version integer primary key, name text);
    insert into older.migrations values (5, 'models of vectors')`)
  await expect(openStore({ schema: 'older' })).rejects.toMatchObject({
    code: 'storage_error',
    message: expect.stringMatching(
      /"older" was written by an older development version \(schema 5, .*\. Move/,
    ),
  })
  expect(await database.query('select version from older.migrations')).toEqual([{ version: 5 }])
})

it('keeps runtimes of one database apart by their schema', async () => {
  const one = await openStore({ schema: 'one' })
  const two = await openStore({ schema: 'two' })
  await one.insertAgent(agentOf('a1'))
  await one.appendEvents([journalOf('r1')])
  expect([await two.listAgents(), await two.lastEventSeq()]).toEqual([[], 0])
})

describe('two processes on one database', () => {
  it('A4: start one run for a key between them', async () => {
    const stores = await openTwo()
    const outcomes = await race((index) =>
      stores[index % 2 === 0 ? 0 : 1].insertRun(runOf(`r${index}`, { idempotencyKey: 'k' }), leaseOf(), []),
    )
    expect(new Set(outcomes.map(({ run }) => run.id)).size).toBe(1)
    expect(outcomes.filter(({ created }) => created)).toHaveLength(1)
  })

  it('A8: take over a run once, and the former owner writes nothing any more', async () => {
    const stores = await openTwo()
    for (let index = 0; index < 20; index += 1)
      await stores[0].insertRun(runOf(`r${index}`), leaseOf({ owner: 'old', until: at(1) }), [])
    const owner = (index: number) => leaseOf({ owner: `new${index}`, until: at(100) })
    const claims = race((index) =>
      stores[index % 2 === 0 ? 0 : 1].claimRuns({ lease: owner(index), now: at(2), limit: 5 }),
    )
    const writes = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        stores[0].saveRunStep(stepOf(`r${index}`, { owner: 'old', journal: [] })),
      ),
    )
    const claimed = (await claims).flat()
    expect(new Set(claimed.map(({ id }) => id)).size).toBe(20)
    expect(claimed).toHaveLength(20)
    for (const run of claimed) {
      // A step of the former owner came before the claim, which then shows it, or not at all.
      const messages = await stores[1].listRunMessages(run.id)
      expect([run.id, messages.length > 0]).toEqual([run.id, writes[Number(run.id.slice(1))]])
      expect([run.id, run.progress.turns]).toEqual([run.id, messages.length > 0 ? 1 : 0])
    }
  })

  it('A12: number messages without gaps between them', async () => {
    const stores = await openTwo()
    await race((index) =>
      stores[index % 2 === 0 ? 0 : 1].appendMessages(appendOf([`${index}a`, `${index}b`])),
    )
    const { rows } = await stores[0].listMessages('c1', { limit: 99 })
    const numbers = Array.from({ length: 16 }, (_, index) => index + 1)
    expect(rows.map(({ seq }) => seq).toReversed()).toEqual(numbers)
  })

  it('A20: let one of them go on with a run', async () => {
    const stores = await openTwo()
    await stores[0].insertRun(runOf('r1'), leaseOf(), [])
    await stores[0].saveRunStep(waitingStepOf('r1', ['p1']))
    const pick = (index: number) => stores[index % 2 === 0 ? 0 : 1]
    const verdicts = await race((index) => pick(index).settleWait(verdictOf('r1', 'p1')))
    expect(verdicts.filter(({ outcome }) => outcome === 'settled')).toHaveLength(1)
    const resumed = await race((index) => pick(index).resumeRun('r1', leaseOf({ owner: `o${index}` })))
    expect(resumed.filter(Boolean)).toHaveLength(1)
  })

  it('budgets are never overdrawn between them', async () => {
    const stores = await openTwo()
    const accounts = [{ key: 'agent:a1:2026-01-01', maxTokens: 100 }]
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        stores[index % 2 === 0 ? 0 : 1].reserveBudget({ id: `r${index}`, accounts, tokens: 10, microUsd: 0 }),
      ),
    )
    expect(outcomes.filter(({ outcome }) => outcome === 'reserved')).toHaveLength(10)
    expect((await stores[0].readBudget('agent:a1:2026-01-01')).tokens).toBe(100)
  })

  it('A1: run one task of a serial key at a time, also where transactions see the past by default', async () => {
    const setDefault = async (level: string) => {
      const [row] = await database.query('select current_database() as name')
      await database.query(`alter database ${row?.['name']} set default_transaction_isolation = ${level}`)
    }
    await setDefault("'repeatable read'")
    onTestFinished(() => setDefault('default'))
    await race(() => openStore({ schema: 'past' }))
    const stores = await openTwo()
    await Promise.all(stores.map((store) => store.insertTask(taskOf(crypto.randomUUID()), [])))
    const keys = Array.from({ length: 20 }, (_, index) => `k${index}`)
    for (const serialKey of keys) {
      await race((index) => {
        const id = `${serialKey} ${index}`
        const task = taskOf(id, { subject: { kind: 'agent', id }, serialKey })
        return stores[index % 2 === 0 ? 0 : 1].insertTask(task, [])
      })
    }
    const taken = await race((index) => stores[index % 2 === 0 ? 0 : 1].claimTasks(claimOf({ limit: 99 })))
    const running = taken.flat().flatMap(({ serialKey = [] }) => serialKey)
    expect(running.toSorted()).toEqual(keys.toSorted())
  })

  it('A10: agents and graphs of both are there for both', async () => {
    const stores = await openTwo()
    const { graph } = graphRunOf('g')
    await stores[0].insertAgent(agentOf('a1'))
    await stores[1].insertGraph(graph)
    for (const store of stores) {
      expect(await store.findAgent('a1')).toEqual(agentOf('a1'))
      expect(await store.findGraph('g1')).toEqual(graph)
    }
  })

  it('A11: memories of both are counted', async () => {
    const stores = await openTwo()
    await race((index) => stores[index % 2 === 0 ? 0 : 1].writeMemory(memoryOf(`m${index}`, 'two words')))
    expect(await database.query(`select * from ${schema}.memory_totals`)).toEqual([
      { texts: '8', words: '16' },
    ])
  })
})

describe('signals', () => {
  const listen = (store: RuntimeStore) => {
    const heard: string[] = []
    const waiting: { readonly key: string; readonly done: () => void }[] = []
    const keyOf = (signal: StoreSignal) => (signal.topic === 'run' ? `run ${signal.runId}` : signal.topic)
    store.subscribe((signal) => {
      heard.push(keyOf(signal))
      for (const { key, done } of waiting) if (heard.includes(key)) done()
    })
    const until = (key: string) =>
      heard.includes(key) ? Promise.resolve() : new Promise<void>((done) => waiting.push({ key, done }))
    return { heard, until }
  }

  it('A14: reach the other process, once for a group of writes, and their sender once', async () => {
    const stores = await openTwo()
    const here = listen(stores[0])
    const there = listen(stores[1])
    await stores[0].insertRun(runOf('r1'), leaseOf(), [journalOf('r1')])
    expect(here.heard).toContain('journal')
    await stores[0].saveRunStep(stepOf('r1'))
    await stores[0].insertAgent(agentOf('a1'))
    await Promise.all([there.until('journal'), there.until('run r1'), there.until('definition')])
    expect(here.heard.filter((key) => key === 'definition')).toHaveLength(1)
  })

  it('tell everybody to look after the connection broke, and pass on signals again', async () => {
    const stores = await openTwo()
    const there = listen(stores[1])
    await database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query ilike '%listen%' and pid <> pg_backend_pid()`,
    )
    await Promise.all([there.until('journal'), there.until('task'), there.until('definition')])
    await stores[0].insertRun(runOf('r1'), leaseOf(), [])
    await expect
      .poll(async () => {
        await stores[0].saveRunStep(stepOf('r1', { messages: [], stream: { firstSeq: 1, events: [] } }))
        return there.heard
      })
      .toContain('run r1')
  })
})

describe('A14: the journal', () => {
  it('never shows a number behind one that somebody has read already', async () => {
    const writers = await Promise.all([openStore(), openStore(), openStore()])
    const reader = await openStore()
    const total = 600
    const seen: number[] = []
    let written = false
    const reading = (async () => {
      let since = 0
      for (;;) {
        const last = written
        const events = await reader.listEvents({ since, limit: 50 })
        seen.push(...events.map(({ seq }) => seq))
        since = events.at(-1)?.seq ?? since
        if (last && events.length === 0) return
      }
    })()
    const runs = Array.from({ length: 30 }, (_, index) => `r${index}`)
    await Promise.all(runs.map((id) => writers[0].insertRun(runOf(id), leaseOf(), [])))
    await Promise.all(
      writers.map(async (store, writer) => {
        for (let index = 0; index < total / 3; index += 1) {
          const runId = runs[(index * 3 + writer) % runs.length] ?? ''
          // One half comes in with other changes, the other half by itself.
          if (index % 2 === 0) await store.appendEvents([journalOf(runId), journalOf(runId)])
          else await store.saveRunStep(stepOf(runId, { journal: [journalOf(runId), journalOf(runId)] }))
        }
      }),
    )
    written = true
    await reading
    const rows = await database.query(`select seq from ${schema}.journal order by seq`)
    expect(rows).toHaveLength(total * 2)
    expect(seen).toEqual(rows.map(({ seq }) => Number(seq)))
  })
})
