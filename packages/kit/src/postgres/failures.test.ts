import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { createCutProxy } from '../../../../tests/postgres/cut-proxy.ts'
import { emptySchema } from '../../../../tests/postgres/empty-schema.ts'
import { useTestDatabase } from '../../../../tests/postgres/use-test-database.ts'
import type { TestDatabase } from '../../../../tests/postgres/test-database.ts'
import { all, Undo } from '../sql/plan.ts'
import type { Statement } from '../sql/plan.ts'
import { SqlFailure } from '../sql/sql-failure.ts'
import type { ConnectionSettings } from './connect.ts'
import { openThings, writers } from './testing/open-things.ts'

const schema = 'broken'
const breakAll =
  'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
let database: TestDatabase
const atEnd = useTestDatabase(
  (made) => (database = made),
  () => emptySchema(database, schema),
)

const failureOf = async (call: () => Promise<unknown>) => {
  const thrown = await call().catch((error: unknown) => error)
  if (!SqlFailure.is(thrown)) throw new Error('It did not fail as it has to.', { cause: thrown })
  return thrown
}
const openProxy = async () => {
  const proxy = await createCutProxy(database.connectionString)
  atEnd.push(() => proxy.close())
  return proxy
}
/** A client of somebody else, in a transaction. */
const openOther = async (begin: string) => {
  const other = new Client({ connectionString: database.connectionString })
  other.on('error', () => {})
  await other.connect()
  atEnd.push(() => other.end())
  await other.query(`set search_path = ${schema}; ${begin}`)
  return other
}
const untilOneWaits = async () =>
  await expect
    .poll(() =>
      database.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      ),
    )
    .toHaveLength(1)

const wrong: Statement<object, unknown> = { kind: 'read', sql: 'select nothing from things', bind: () => [] }

describe.each(writers.map((kind) => ({ kind })))('$kind', ({ kind }) => {
  const open = async (settings: ConnectionSettings = {}) => {
    const { connectionString } = database
    const things = await openThings(kind, { connectionString, schema, ...settings })
    atEnd.push(things.close)
    const { plans, read, write } = things
    return {
      ...things,
      insert: (id: string, note?: string) => write(id, () => plans.insert(id, note)),
      update: (id: string, note: string) => write(id, () => plans.update(id, note)),
      find: (id: string) => read(() => plans.find(id)),
      list: () => read(() => plans.list()),
    }
  }

  it('fails with what may be tried again while the server is gone, and works again when it is back', async () => {
    const proxy = await openProxy()
    const things = await open({ connectionString: proxy.connectionString, connectTimeoutMs: 2000 })
    await things.insert('t1')
    proxy.cut()
    const failures = await Promise.all([failureOf(() => things.insert('t2')), failureOf(things.list)])
    expect(failures.map(({ kind, retryable }) => [kind, retryable])).toEqual([
      ['unavailable', true],
      ['unavailable', true],
    ])
    proxy.mend()
    await things.insert('t3')
    expect(await things.list()).toEqual(['t1', 't3'])
  })

  it('never makes a transaction again that may have been committed, and tells all to look', async () => {
    const proxy = await openProxy()
    const things = await open({ connectionString: proxy.connectionString })
    await things.insert('t1')
    proxy.cutBehind('commit\0') // not where a connection asks for "read committed"
    const failure = await failureOf(() => things.insert('t2'))
    expect([failure.kind, failure.retryable, failure.message]).toEqual([
      'in-doubt',
      true,
      expect.stringMatching(/may or may not be stored/),
    ])
    expect(await things.list()).toEqual(['t1', 't2'])
    expect(things.told).toEqual([{ topic: 'thing', id: 't1' }, { topic: 'missed' }])
  })

  it('makes up for connections that broke while nobody used them', async () => {
    const things = await open()
    for (let round = 0; round < 3; round += 1) {
      await Promise.all([things.insert(`t${round}`), things.list(), things.list()])
      await database.query(breakAll)
      const [, found] = await Promise.all([things.insert(`u${round}`), things.list()])
      expect(found.length).toBeGreaterThan(round)
    }
  })

  it('leaves a server that only reads as soon as there is one that writes', async () => {
    const things = await open({ maxConnections: 4 })
    await things.insert('t1')
    const name = new URL(database.connectionString).pathname.slice(1)
    const change = (how: string) => database.query(`begin read write; alter database ${name} ${how}; commit`)
    const writeAgain = () => change('reset default_transaction_read_only')
    atEnd.push(writeAgain)
    // Connections that are made from now on are as those to a standby: they read, whatever becomes of others.
    await change('set default_transaction_read_only = on')
    await database.query(breakAll)
    const readOnAll = () => Promise.all(Array.from({ length: 4 }, things.list))
    await readOnAll()
    const failure = await failureOf(() => things.insert('t2'))
    expect([failure.kind, failure.retryable, failure.message]).toEqual([
      'unavailable',
      true,
      expect.stringMatching(/read-only standby/),
    ])
    await readOnAll()
    await writeAgain()
    await things.insert('t2')
    await things.insert('t3')
    expect(await things.list()).toEqual(['t1', 't2', 't3'])
  })

  it('does not let one write that fails take down those that were made with it', async () => {
    const things = await open()
    await things.insert('t1')
    const [clash, ...fine] = await Promise.allSettled(['t1', 't2', 't3', 't4'].map((id) => things.insert(id)))
    expect(clash).toMatchObject({ reason: { kind: 'conflict', retryable: false } })
    expect(fine.map(({ status }) => status)).toEqual(Array(3).fill('fulfilled'))
  })

  it('passes on what a plan itself throws, and undoes what the plan did', async () => {
    const things = await open()
    const own = Object.assign(new Error('of another user'), { code: 'not_found' })
    const refused = things.write('t1', function* () {
      yield* things.plans.insert('t1')
      throw own
    })
    const [outcome] = await Promise.allSettled([refused, things.insert('t2')])
    expect(outcome).toEqual({ status: 'rejected', reason: own })
    expect(await things.list()).toEqual(['t2'])
  })

  it('keeps its connections when a statement fails', async () => {
    const things = await open({ maxConnections: 2 })
    await things.insert('t1')
    const pids = async () =>
      (await database.query("select pid from pg_stat_activity where application_name = 'things'"))
        .map(({ pid }) => Number(pid))
        .toSorted((a, b) => a - b)
    const before = await pids()
    await failureOf(() => things.insert('t1'))
    await failureOf(() => things.read(() => all(wrong, {})))
    expect(await pids()).toEqual(before)
  })

  it('undoes the plan that asks for it and gives its result', async () => {
    const things = await open()
    const undone = things.write('t1', function* () {
      yield* things.plans.insert('t1')
      throw new Undo('changed its mind')
    })
    expect(await Promise.all([undone, things.insert('t2')])).toEqual(['changed its mind', 't2'])
    expect([await things.list(), things.told]).toEqual([['t2'], [{ topic: 'thing', id: 't2' }]])
  })

  it('does not wait forever for a process that was stopped in the middle of a write', async () => {
    const things = await open()
    await things.insert('t1')
    // What a write begins with, but for a shorter time limit.
    await openOther(`begin; set local idle_in_transaction_session_timeout = 300;
      update things set note = 'half' where id = 't1'`)
    await things.update('t1', 'whole')
    expect(await things.find('t1')).toBe('whole')
  })

  it('gets out of a deadlock with somebody else', async () => {
    const things = await open()
    await things.insert('t1')
    await things.insert('t2')
    const other = await openOther("begin; update things set note = 'x' where id = 't2'")
    await other.query("set deadlock_timeout = '60s'")
    const written = things.write('both', function* () {
      yield* things.plans.update('t1', 'done')
      yield* things.plans.update('t2', 'done')
    })
    await untilOneWaits()
    await other.query("update things set note = 'x' where id = 't1'")
    await other.query('rollback')
    await written
    expect([await things.find('t1'), await things.find('t2')]).toEqual(['done', 'done'])
  })

  // SQLSTATE 23503. It is not a conflict: callers take that for "what I wanted to write is there already".
  it('looks again when a row that it refers to goes away between its look and its write', async () => {
    const things = await open()
    await things.insert('t1')
    const other = await openOther("begin; delete from things where id = 't1'")
    let looks = 0
    const added = things.write('p1', function* () {
      looks += 1
      if ((yield* things.plans.find('t1')) === undefined) return 'unknown thing'
      yield* things.plans.insertPart('p1', 't1')
      return 'added'
    })
    // The write has seen the thing, and its reference waits for what becomes of the deletion.
    await untilOneWaits()
    await other.query('commit')
    expect([await added, looks]).toEqual(['unknown thing', 2])
  })

  it('says that what a write refers to is gone, when looking again does not help', async () => {
    const things = await open()
    const failure = await failureOf(() => things.write('p1', () => things.plans.insertPart('p1', 'nowhere')))
    expect([failure.kind, failure.message]).toEqual([
      'unavailable',
      'Writing to Postgres failed: a row that the change refers to no longer exists. Reload the data and try again.',
    ])
  })

  it('keeps text that Postgres has no characters for', async () => {
    const things = await open()
    const text = `\u0000 \u0010 \u00100 'ö"\\ \u00101\u0010 🖥️ \u00102d800 \ud83d \ude00\ud83d`
    await things.insert(text, text)
    expect([await things.find(text), await things.list()]).toEqual([text, [text]])
  })
})

it('keeps the order of writes on the same thing in groups while connections break', async () => {
  const things = await openThings('group writer', { connectionString: database.connectionString, schema })
  atEnd.push(things.close)
  const update = (note: string) => things.write('t1', () => things.plans.update('t1', note))
  await things.write('t1', () => things.plans.insert('t1'))
  const kept: number[] = []
  for (let round = 0; round < 5; round += 1) {
    const writes = Array.from({ length: 30 }, async (_, index) => {
      const version = round * 30 + index
      await update(String(version))
      kept.push(version)
    })
    await Promise.allSettled([...writes, database.query(breakAll)])
  }
  await update('last')
  expect(kept).toEqual(kept.toSorted((a, b) => a - b))
  expect(kept.length).toBeGreaterThan(60)
  expect(await things.read(() => things.plans.find('t1'))).toBe('last')
})
