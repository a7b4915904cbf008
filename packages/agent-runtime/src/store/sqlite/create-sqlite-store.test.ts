import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  agentOf,
  appendOf,
  at,
  eventsOf,
  finishOf,
  journalOf,
  leaseOf,
  memoryOf,
  runOf,
  stepOf,
  verdictOf,
  waitingStepOf,
} from '../../testing/conformance-fixtures.ts'
import { race } from '@homeward/kit/testing'
import { runtimeStoreConformance } from '../../testing/runtime-store-conformance.ts'
import type { SqliteStatement } from './index.ts'
import { createSqliteStore, RuntimeError } from './index.ts'

let folder = ''
let path = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeward-runtime-'))
  path = join(folder, 'data', 'agents.db')
})
afterEach(() => rm(folder, { recursive: true }))

const codeOf = (error: unknown) => (RuntimeError.is(error) ? error.code : error)
const thrownBy = (call: () => unknown): unknown => {
  try {
    return call()
  } catch (error) {
    return error
  }
}
const select = (sql: string) => {
  const database = new DatabaseSync(path)
  const rows = database.prepare(sql).all()
  database.close()
  return rows
}

for (const { name, run } of runtimeStoreConformance) {
  it(name, () =>
    run({
      create: async () => {
        const store = createSqliteStore({ path })
        let current = store
        const reopen = async () => {
          await current.close()
          return (current = createSqliteStore({ path }))
        }
        return { store, reopen, dispose: () => current.close() }
      },
    }),
  )
}

describe('the file', () => {
  it('is refused when a newer release wrote it, and stays as it was', async () => {
    await createSqliteStore({ path }).close()
    const database = new DatabaseSync(path)
    database.exec("insert into migrations (version, name) values (99, 'later')")
    database.close()
    const error = thrownBy(() => createSqliteStore({ path }))
    expect([codeOf(error), String(error)]).toEqual([
      'storage_error',
      expect.stringMatching(/version 99.*newer/),
    ])
    expect(select('select max(version) as version from migrations')).toMatchObject([{ version: 99 }])
  })

  it('is refused with what to do when it is no database or cannot be made', async () => {
    const text = join(folder, 'text')
    await writeFile(text, 'no database, but long enough to have a header of its own '.repeat(9))
    const error = thrownBy(() => createSqliteStore({ path: text }))
    expect([codeOf(error), String(error)]).toEqual(['storage_error', expect.stringMatching(/not a database/)])
    expect(codeOf(thrownBy(() => createSqliteStore({ path: join(text, 'x.db') })))).toBe('storage_error')
  })

  it('says so when another process holds it for too long', async () => {
    const store = createSqliteStore({ path, busyTimeoutMs: 1 })
    const other = new DatabaseSync(path)
    other.exec('begin immediate')
    const error = await store.insertAgent(agentOf('a1')).catch((thrown: unknown) => thrown)
    expect([codeOf(error), RuntimeError.is(error) && error.retryable]).toEqual(['storage_error', true])
    other.exec('rollback')
    other.close()
    expect(await store.insertAgent(agentOf('a1'))).toBe(true)
    await store.close()
  })
})

describe('two stores on one file', () => {
  const both = async <Result>(
    run: (
      stores: readonly [ReturnType<typeof createSqliteStore>, ReturnType<typeof createSqliteStore>],
    ) => Promise<Result>,
  ) => {
    const stores = [createSqliteStore({ path }), createSqliteStore({ path })] as const
    try {
      return await run(stores)
    } finally {
      await Promise.all(stores.map((store) => store.close()))
    }
  }

  it('A4: start one run for a key between them', () =>
    both(async (stores) => {
      const outcomes = await race((index) =>
        stores[index % 2 === 0 ? 0 : 1].insertRun(runOf(`r${index}`, { idempotencyKey: 'k' }), leaseOf(), []),
      )
      expect(new Set(outcomes.map(({ run }) => run.id)).size).toBe(1)
      expect(outcomes.filter(({ created }) => created)).toHaveLength(1)
    }))

  it('A12: number messages without gaps between them', () =>
    both(async (stores) => {
      await race((index) =>
        stores[index % 2 === 0 ? 0 : 1].appendMessages(appendOf([`${index}a`, `${index}b`])),
      )
      const { rows } = await stores[0].listMessages('c1', { limit: 99 })
      expect(rows.map(({ seq }) => seq).toReversed()).toEqual(
        Array.from({ length: 16 }, (_, index) => index + 1),
      )
    }))

  it('A20: let one of them go on with a run', () =>
    both(async (stores) => {
      await stores[0].insertRun(runOf('r1'), leaseOf(), [])
      await stores[0].saveRunStep(waitingStepOf('r1', ['p1']))
      const verdicts = await race((index) =>
        stores[index % 2 === 0 ? 0 : 1].settleWait(verdictOf('r1', 'p1')),
      )
      expect(verdicts.filter(({ outcome }) => outcome === 'settled')).toHaveLength(1)
      const resumed = await race((index) => stores[index % 2 === 0 ? 0 : 1].resumeRun('r1', leaseOf()))
      expect(resumed.filter(Boolean)).toHaveLength(1)
    }))
})

it('one write that fails does not take down those that were committed with it', async () => {
  const store = createSqliteStore({ path })
  await store.insertRun(runOf('r1'), leaseOf(), [])
  const [clash, fine] = await Promise.allSettled([
    store.insertRun(runOf('r1'), leaseOf(), [journalOf('r1')]),
    store.insertRun(runOf('r2'), leaseOf(), [journalOf('r2')]),
  ])
  expect(clash.status === 'rejected' && codeOf(clash.reason)).toBe('conflict')
  expect(fine.status).toBe('fulfilled')
  expect((await store.listEvents({ limit: 9 })).map((event) => event.run_id)).toEqual(['r2'])
  await store.close()
})

it('spends one statement on a step, and one more for its events of the journal', async () => {
  const statements: SqliteStatement[] = []
  const store = createSqliteStore({ path, onStatement: (statement) => statements.push(statement) })
  const count = async (call: () => Promise<unknown>) => {
    statements.length = 0
    await call()
    return statements.length
  }
  await store.insertRun(runOf('r1'), leaseOf(), [journalOf('r1')])
  expect(await count(() => store.saveRunStep(stepOf('r1')))).toBe(2)
  const stream = { firstSeq: 3, events: eventsOf(50) }
  const journal = [journalOf('r1'), journalOf('r1')]
  expect(await count(() => store.saveRunStep(stepOf('r1', { stream, journal })))).toBe(2)
  expect(await count(() => store.insertRun(runOf('r2'), leaseOf(), []))).toBe(2)
  expect(await count(() => store.appendMessages(appendOf(['m1', 'm2'])))).toBe(2)
  expect(await count(() => store.writeMemory(memoryOf('m1', 'apple')))).toBe(4)
  expect(await count(() => store.findRun('r1'))).toBe(1)
  await store.close()
})

describe('what runs leave behind', () => {
  const day = 86_400
  const finish = async (store: ReturnType<typeof createSqliteStore>, id: string, second: number) => {
    await store.insertRun(runOf(id, { createdAt: at(second) }), leaseOf(), [
      journalOf(id, { timestamp: at(second) }),
    ])
    await store.saveRunStep(stepOf(id, { journal: [] }))
    await store.finishRun(finishOf(id, { finishedAt: at(second), journal: [] }))
  }

  it('goes by `prune`, a bounded number at once, however much has piled up', async () => {
    const store = createSqliteStore({ path })
    for (let index = 0; index < 40; index += 1) await finish(store, `old${index}`, index)
    await finish(store, 'new', day)
    const journal = Array.from({ length: 1200 }, (_, index) => journalOf('new', { timestamp: at(index) }))
    await store.appendEvents(journal)
    const limits = { journalBefore: at(10_000), runStepsBefore: at(1000), runsBefore: at(20) }
    let calls = 1
    while (await store.prune(limits)) calls += 1
    expect(calls).toBeGreaterThan(2)
    expect((await store.listRuns({}, { limit: 99 })).rows).toHaveLength(21)
    await store.close()
    expect(select('select count(distinct seq / 1048576) as runs from run_steps')).toMatchObject([{ runs: 1 }])
    expect(select('select count(*) as count from journal')).toMatchObject([{ count: 2 }])
  })

  it('A11: memories that expired go as others are written', async () => {
    const store = createSqliteStore({ path })
    for (let second = 0; second < 60; second += 1) {
      await store.writeMemory(
        memoryOf(`m${second}`, 'pear', { createdAt: at(second), expiresAt: at(second + 5) }),
      )
    }
    await store.close()
    const [count] = select(
      'select (select count(*) from memories) as rows, (select texts from memory_totals) as texts',
    )
    expect(Number(count?.['rows'])).toBeLessThan(10)
    expect(count?.['texts']).toBe(count?.['rows'])
  })
})
