import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { RuntimeStore } from '../ports/runtime-store.ts'
import {
  agentOf,
  appendOf,
  at,
  eventsOf,
  journalOf,
  leaseOf,
  oddText,
  runOf,
  stepOf,
} from '../../testing/conformance-fixtures.ts'
import type { PostgresStoreOptions } from './index.ts'
import { openPostgresStore, RuntimeError } from './index.ts'
import { postgresMigrations } from './migrations.ts'
import { createCutProxy } from './testing/cut-proxy.ts'
import type { TestDatabase } from './testing/test-database.ts'
import { createTestDatabase } from './testing/test-database.ts'
import { emptySchema } from './testing/test-schemas.ts'

const schema = 'broken'
let database: TestDatabase
let atEnd: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  database = await createTestDatabase()
})
afterEach(async () => {
  for (const end of atEnd.toReversed()) await end()
  atEnd = []
  await emptySchema(database, schema)
})
afterAll(() => database.drop())

const openStore = async (options: PostgresStoreOptions = {}): Promise<RuntimeStore> => {
  const store = await openPostgresStore({ connectionString: database.connectionString, schema, ...options })
  atEnd.push(() => store.close())
  return store
}
const failureOf = async (call: () => Promise<unknown>) => {
  const thrown = await call().catch((error: unknown) => error)
  if (!RuntimeError.is(thrown)) throw new Error('It did not fail as it has to.', { cause: thrown })
  return thrown
}

describe('opening', () => {
  const password = 'sesame-open-17'
  const urlWith = (changes: Partial<URL>) =>
    Object.assign(new URL(database.connectionString), { password, ...changes }).href

  it.each([
    ['the server is down', { port: '1' }, true, /cannot be reached/],
    ['the password is wrong', {}, false, /refused the user or the password/],
    [
      'there is no such database',
      { password: 'test-password', pathname: '/nowhere' },
      false,
      /no such database/,
    ],
  ])('says so when %s, without the password', async (_, changes, retryable, message) => {
    const connectionString = urlWith(changes)
    const failure = await failureOf(() => openPostgresStore({ connectionString, schema }))
    expect([failure.code, failure.retryable, failure.message]).toEqual([
      'storage_error',
      retryable,
      expect.stringMatching(message),
    ])
    expect(inspect(failure, { depth: 9 })).not.toContain(password)
  })

  it('says so when the server takes connections and says nothing', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    atEnd.push(async () => silent.close())
    await once(silent, 'listening')
    const connectionString = urlWith({ host: `127.0.0.1:${(silent.address() as AddressInfo).port}` })
    const failure = await failureOf(() => openPostgresStore({ connectionString, connectTimeoutMs: 100 }))
    expect([failure.code, failure.retryable, failure.message]).toEqual([
      'storage_error',
      true,
      expect.stringMatching(/cannot be reached/),
    ])
  })

  it('refuses settings that cannot work', async () => {
    for (const options of [{ schema: 'a"; drop' }, { maxConnections: 1 }]) {
      expect((await failureOf(() => openPostgresStore(options))).code).toBe('validation_error')
    }
    const connectionString = `${database.connectionString}?options=-c%20search_path%3Dpublic`
    expect((await failureOf(() => openPostgresStore({ connectionString }))).message).toMatch(/options/)
  })

  it('refuses a schema that a newer release wrote, and leaves it as it was', async () => {
    const newer = await openStore({ schema: 'newer' })
    await newer.close()
    await database.query("insert into newer.migrations (version, name) values (99, 'later')")
    expect((await failureOf(() => openStore({ schema: 'newer' }))).message).toMatch(/version 99/)
    expect(await database.query('select count(*) as count from newer.migrations')).toEqual([
      { count: String(postgresMigrations.length + 1) },
    ])
  })

  it('asks for the password each time it connects, when a function gives it', async () => {
    const url = new URL(database.connectionString)
    url.password = ''
    const givePassword = vi.fn(() => 'test-password')
    const store = await openStore({ connectionString: url.href, password: givePassword })
    expect(await store.insertAgent(agentOf('a1'))).toBe(true)
    expect(givePassword.mock.calls.length).toBeGreaterThan(1)
  })
})

describe('while it runs', () => {
  it('fails with what may be tried again while the server is gone, and works again when it is back', async () => {
    const proxy = await createCutProxy(database.connectionString)
    atEnd.push(() => proxy.close())
    const store = await openStore({ connectionString: proxy.connectionString, connectTimeoutMs: 2000 })
    expect(await store.insertAgent(agentOf('a1'))).toBe(true)
    proxy.cut()
    const failures = await Promise.all([
      failureOf(() => store.insertAgent(agentOf('a2'))),
      failureOf(() => store.listAgents()),
    ])
    expect(failures.map(({ code, retryable }) => [code, retryable])).toEqual([
      ['storage_error', true],
      ['storage_error', true],
    ])
    proxy.mend()
    expect(await store.insertAgent(agentOf('a3'))).toBe(true)
    expect((await store.listAgents()).map(({ id }) => id)).toEqual(['a1', 'a3'])
  })

  it('never makes a transaction again of which it is not known whether it was committed', async () => {
    const proxy = await createCutProxy(database.connectionString)
    atEnd.push(() => proxy.close())
    const store = await openStore({ connectionString: proxy.connectionString })
    await store.appendEvents([journalOf('r0')])
    proxy.cutBehind('commit\0') // not where a connection asks for "read committed"
    const failures = await Promise.all(
      ['r1', 'r2'].map((id) => failureOf(() => store.appendEvents([journalOf(id)]))),
    )
    expect(failures.map(({ code, retryable }) => [code, retryable])).toEqual([
      ['storage_error', true],
      ['storage_error', true],
    ])
    expect(failures[0]?.message).toMatch(/not known/)
    const events = await store.listEvents({ limit: 9 })
    expect(events.map((event) => event.run_id)).toEqual(['r0', 'r1', 'r2'])
  })

  it('A8: keeps a step once that is made again because its commit was in doubt', async () => {
    const proxy = await createCutProxy(database.connectionString)
    atEnd.push(() => proxy.close())
    const store = await openStore({ connectionString: proxy.connectionString })
    await store.insertRun(runOf('r1'), leaseOf(), [])
    proxy.cutBehind('commit\0')
    expect(await failureOf(() => store.saveRunStep(stepOf('r1')))).toMatchObject({ retryable: true })
    expect(await store.saveRunStep(stepOf('r1', { isRepeat: true }))).toBe(true)
    const next = stepOf('r1', { stream: { firstSeq: 3, events: eventsOf(1) } })
    expect(await store.saveRunStep(next)).toBe(true)
    const batches = await store.listRunEvents('r1', 0)
    expect(batches.map(({ firstSeq }) => firstSeq)).toEqual([1, 3])
    expect(await store.listRunMessages('r1')).toHaveLength(2)
    expect(await store.listEvents({ runId: 'r1', limit: 9 })).toHaveLength(2)
  })

  it('makes up for connections that broke while nobody used them', async () => {
    const store = await openStore()
    await store.insertAgent(agentOf('a1'))
    await store.listAgents()
    for (let round = 0; round < 3; round += 1) {
      await database.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      )
      const [agents, isNew] = await Promise.all([store.listAgents(), store.insertAgent(agentOf(`b${round}`))])
      expect([agents.length >= round + 1, isNew]).toEqual([true, true])
    }
  })

  it('leaves a server that only reads as soon as there is one that writes', async () => {
    const store = await openStore({ maxConnections: 4 })
    await store.insertAgent(agentOf('a1'))
    const name = new URL(database.connectionString).pathname.slice(1)
    const change = (how: string) => database.query(`begin read write; alter database ${name} ${how}; commit`)
    const writeAgain = () => change('reset default_transaction_read_only')
    atEnd.push(writeAgain)
    // Connections that are made from now on are as those to a standby: they read, whatever becomes of others.
    await change('set default_transaction_read_only = on')
    await database.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    await Promise.all(Array.from({ length: 4 }, () => store.listAgents()))
    const failure = await failureOf(() => store.insertAgent(agentOf('a2')))
    expect([failure.retryable, failure.message]).toEqual([true, expect.stringMatching(/only reads/)])
    await Promise.all(Array.from({ length: 4 }, () => store.listAgents()))
    await writeAgain()
    expect(await store.insertAgent(agentOf('a2'))).toBe(true)
    expect(await store.insertAgent(agentOf('a3'))).toBe(true)
  })

  it('one write that fails does not take down those that were committed with it', async () => {
    const store = await openStore()
    await store.insertRun(runOf('r1'), leaseOf(), [])
    const [clash, ...fine] = await Promise.allSettled([
      store.insertRun(runOf('r1'), leaseOf(), [journalOf('r1')]),
      ...['r2', 'r3', 'r4'].map((id) => store.insertRun(runOf(id), leaseOf(), [journalOf(id)])),
    ])
    expect(clash.status === 'rejected' && RuntimeError.is(clash.reason) && clash.reason.code).toBe('conflict')
    expect(fine.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
    const events = await store.listEvents({ limit: 9 })
    expect(new Set(events.map((event) => event.run_id))).toEqual(new Set(['r2', 'r3', 'r4']))
    expect(events).toHaveLength(3)
  })

  it('keeps the order of writes on the same thing while connections break', async () => {
    const store = await openStore()
    await store.insertAgent(agentOf('a1'))
    const kept: number[] = []
    for (let round = 0; round < 5; round += 1) {
      const writes = Array.from({ length: 30 }, async (_, index) => {
        const version = round * 30 + index
        await store.replaceAgent(agentOf('a1', { personality: String(version) }))
        kept.push(version)
      })
      const breaking = database.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      )
      await Promise.allSettled([...writes, breaking])
    }
    await store.replaceAgent(agentOf('a1', { personality: 'last' }))
    expect(kept).toEqual(kept.toSorted((a, b) => a - b))
    expect(kept.length).toBeGreaterThan(60)
    expect((await store.findAgent('a1'))?.personality).toBe('last')
  })

  it('does not wait for ever for a process that was stopped in the middle of a write', async () => {
    const store = await openStore()
    await store.insertAgent(agentOf('a1'))
    const stopped = new Client({ connectionString: database.connectionString })
    stopped.on('error', () => {})
    await stopped.connect()
    atEnd.push(() => stopped.end())
    // What a write begins with, but for a shorter time limit.
    await stopped.query(`begin; set local idle_in_transaction_session_timeout = 300;
      update ${schema}.agents set agent = 'half' where id = 'a1'`)
    const changed = agentOf('a1', { personality: 'changed' })
    expect(await store.replaceAgent(changed)).toBe(true)
    expect(await store.findAgent('a1')).toEqual(changed)
  })

  it('gets out of a deadlock with somebody else', async () => {
    const store = await openStore()
    await store.insertAgent(agentOf('a1'))
    await store.insertAgent(agentOf('a2'))
    const other = new Client({ connectionString: database.connectionString })
    await other.connect()
    atEnd.push(() => other.end())
    await other.query(
      `set deadlock_timeout = '60s'; begin; update ${schema}.agents set created_at = 'x' where id = 'a2'`,
    )
    const writes = Promise.all(['a1', 'a2'].map((id) => store.replaceAgent(agentOf(id))))
    // The store waits for a2 by now, and holds a1.
    await expect
      .poll(() =>
        database.query(
          "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        ),
      )
      .toHaveLength(1)
    await other.query(`update ${schema}.agents set created_at = 'x' where id = 'a1'`)
    await other.query('rollback')
    expect(await writes).toEqual([true, true])
  })

  it('keeps text that Postgres has no characters for', async () => {
    const store = await openStore()
    const text = `\u0000 \u0010 \u00100 ${oddText} \u00101\u0010 \u00102d800 \ud83d \ude00\ud83d`
    await store.appendMessages(appendOf(['m1'], { title: text, userId: text, conversationId: text }))
    const found = await store.findConversation(text)
    expect([found?.id, found?.title, found?.userId]).toEqual([text, text, text])
    await store.appendEvents([journalOf(text)])
    expect((await store.listEvents({ runId: text, limit: 9 })).map((event) => event.run_id)).toEqual([text])
    await store.insertRun(runOf('r1', { idempotencyKey: text }), leaseOf(), [])
    const again = await store.insertRun(
      runOf('r2', { idempotencyKey: text, createdAt: at(1) }),
      leaseOf(),
      [],
    )
    expect([again.created, again.run.id]).toEqual([false, 'r1'])
  })
})

describe('closing', () => {
  it('waits for the reads that wait for a connection', async () => {
    const store = await openStore({ maxConnections: 2, connectTimeoutMs: 0 })
    const reads = Array.from({ length: 20 }, (_, index) => store.findRun(`r${index}`))
    const closed = store.close()
    expect(await Promise.all(reads)).toEqual(reads.map(() => undefined))
    await closed
    expect(await failureOf(() => store.findRun('r'))).toMatchObject({ code: 'closed' })
  })
})
