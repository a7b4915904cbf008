import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { createRuntimePlans } from '../sql/runtime-plans.ts'
import { agentOf } from '../../testing/conformance-fixtures.ts'
import { openConnection } from './connection.ts'
import { createSqliteBuilder } from './dialect.ts'
import { createGroupWriter } from './group-writer.ts'
import { migrate } from './migrate.ts'
import { sqliteMigrations } from './migrations.ts'

it('says that the disk is full, keeps what was there, and goes on when there is room', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-full-'))
  const connection = openConnection({ path: join(folder, 'agents.db'), busyTimeoutMs: 0 })
  const builder = createSqliteBuilder()
  migrate(connection, builder, sqliteMigrations)
  const plans = createRuntimePlans(builder)
  const writer = createGroupWriter(connection)
  // SQLite's own limit gives the very error of a full disk.
  connection.exec('pragma max_page_count = 160')
  const outcomes = await Promise.allSettled(
    Array.from({ length: 40 }, (_, index) =>
      writer.write(() => plans.insertAgent(agentOf(`a${index}`, { personality: 'x'.repeat(20_000) }))),
    ),
  )
  const refused = outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' ? [outcome.reason as unknown] : [],
  )
  const kept = connection.runPlan(plans.listAgents())
  expect(kept.length).toBeGreaterThan(0)
  expect(refused).toHaveLength(40 - kept.length)
  const [error] = refused
  expect(RuntimeError.is(error) && [error.code, error.retryable]).toEqual(['storage_error', true])
  expect(String(error)).toMatch(/disk is full; make room/)
  connection.exec('pragma max_page_count = 1000000')
  expect(await writer.write(() => plans.insertAgent(agentOf('last')))).toBe(true)
  connection.close()
  await rm(folder, { recursive: true })
})

it('commits what waits when it is flushed, and refuses what was given up meanwhile', async () => {
  const connection = openConnection({ path: ':memory:', busyTimeoutMs: 0 })
  const builder = createSqliteBuilder()
  migrate(connection, builder, sqliteMigrations)
  const plans = createRuntimePlans(builder)
  const writer = createGroupWriter(connection)
  const giveUp = new AbortController()
  const first = writer.write(() => plans.insertAgent(agentOf('a1')))
  const second = writer.write(() => plans.insertAgent(agentOf('a2')), giveUp.signal)
  giveUp.abort(new Error('gave up'))
  writer.flush()
  expect(await first).toBe(true)
  await expect(second).rejects.toThrow('gave up')
  expect(connection.runPlan(plans.listAgents())).toHaveLength(1)
  connection.close()
})

it('waits once for another process that holds the database, however many writes come meanwhile', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-held-'))
  const path = join(folder, 'agents.db')
  const connection = openConnection({ path, busyTimeoutMs: 1 })
  const builder = createSqliteBuilder()
  migrate(connection, builder, sqliteMigrations)
  const plans = createRuntimePlans(builder)
  let begun = 0
  const exec = (sql: string) => {
    if (sql === 'begin immediate') begun += 1
    connection.exec(sql)
  }
  const writer = createGroupWriter({ ...connection, exec })
  const other = openConnection({ path, busyTimeoutMs: 1 })
  other.exec('begin immediate')
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) => writer.write(() => plans.insertAgent(agentOf(`a${index}`)))),
  )
  expect(outcomes.map(({ status }) => status)).toEqual(Array(20).fill('rejected'))
  expect(begun).toBe(1)
  other.exec('rollback')
  expect(await writer.write(() => plans.insertAgent(agentOf('a1')))).toBe(true)
  other.close()
  connection.close()
  await rm(folder, { recursive: true })
})

it('writes once what is committed, also when the one who hears of it fails', async () => {
  const connection = openConnection({ path: ':memory:', busyTimeoutMs: 0 })
  const builder = createSqliteBuilder()
  migrate(connection, builder, sqliteMigrations)
  const plans = createRuntimePlans(builder)
  const committed = vi.fn(() => {
    throw new Error('the listener failed')
  })
  const rolledBack = vi.fn()
  const writer = createGroupWriter(connection, { committed, rolledBack })
  const written = ['a1', 'a2'].map((id) => writer.write(() => plans.insertAgent(agentOf(id))))
  expect(() => writer.flush()).toThrow('the listener failed')
  expect(await Promise.all(written)).toEqual([true, true])
  expect(committed).toHaveBeenCalledOnce()
  expect(rolledBack).not.toHaveBeenCalled()
  expect(connection.runPlan(plans.listAgents())).toHaveLength(2)
  connection.close()
})
