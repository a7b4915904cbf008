import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
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
import { createPostgresStore, RuntimeError } from './index.ts'
import { createCutProxy } from './testing/cut-proxy.ts'
import { useTestDatabase } from '../../../../../tests/postgres/use-test-database.ts'
import type { TestDatabase } from './testing/test-database.ts'
import { emptySchema } from './testing/test-schemas.ts'

const schema = 'broken'
let database: TestDatabase
const atEnd = useTestDatabase(
  (made) => (database = made),
  () => emptySchema(database, schema),
)

const openStore = async (options: PostgresStoreOptions = {}): Promise<RuntimeStore> => {
  const store = await createPostgresStore({ connectionString: database.connectionString, schema, ...options })
  atEnd.push(() => store.close())
  return store
}
const failureOf = async (call: () => Promise<unknown>) => {
  const thrown = await call().catch((error: unknown) => error)
  if (!RuntimeError.is(thrown)) throw new Error('It did not fail as it has to.', { cause: thrown })
  return thrown
}

it('opens with errors of its own, without the password', async () => {
  const connectionString = Object.assign(new URL(database.connectionString), { port: '1' }).href
  const down = await failureOf(() => createPostgresStore({ connectionString }))
  expect([down.code, down.retryable]).toEqual(['storage_error', true])
  expect(inspect(down, { depth: 9 })).not.toContain('test-password')
  const wrong = await failureOf(() => createPostgresStore({ maxConnections: 1 }))
  expect(wrong.code).toBe('validation_error')
  await (await createPostgresStore({ connectionString: database.connectionString, schema: 'newer' })).close()
  await database.query("insert into newer.migrations (version, name) values (99, 'later')")
  const newer = await failureOf(() => openStore({ schema: 'newer' }))
  expect([newer.code, newer.retryable, newer.message]).toEqual([
    'storage_error',
    false,
    expect.stringMatching(/version 99/),
  ])
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
    expect(failures[0]?.message).toMatch(/may or may not be stored/)
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
