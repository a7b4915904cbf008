import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { toScript } from '@homeward/kit/sql'
import { createSqliteBuilder } from '@homeward/kit/sqlite'
import { toWords } from '../ranking/to-words.ts'
import type { RuntimeTables } from '../sql/schema.ts'
import {
  appendOf,
  at,
  finishOf,
  idsOf,
  leaseOf,
  memoryOf,
  oddText,
  progressOf,
  resultOf,
  runOf,
  stepOf,
} from '../../testing/conformance-fixtures.ts'
import { createSqliteStore } from './index.ts'
import { toScopeWords } from './memory-words.ts'
import { sqliteMigrations } from './migrations.ts'

let folder = ''
let path = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeward-migrate-'))
  path = join(folder, 'agents.db')
})
afterEach(() => rm(folder, { recursive: true }))

const tool = { role: 'tool', results: [{ id: 'k1', name: 'time', result: oddText }] }

/** A database as the first release left it: a run that was cut off, one that waits, one that has ended. */
function createVersionOne(): void {
  const database = new DatabaseSync(path)
  const insert = (table: keyof RuntimeTables, row: Record<string, string | number | null>) => {
    const names = Object.keys(row)
    const sql = `insert into ${table} (${names.join()}) values (${names.map(() => '?').join()})`
    database.prepare(sql).run(...Object.values(row))
  }
  database.exec(
    'pragma journal_mode = wal; create table migrations (version integer primary key, name text not null)',
  )
  database.exec(toScript(sqliteMigrations[0]!, createSqliteBuilder<RuntimeTables>(), 'main'))
  database.exec("insert into migrations (version, name) values (1, 'first')")
  for (const [seq, status] of ['running', 'waiting', 'completed'].entries()) {
    const { kind: _kind, depth: _depth, tainted: _tainted, accounts: _accounts, ...run } = runOf(status)
    const isEnded = status === 'completed'
    insert('runs', {
      seq: seq + 1,
      id: status,
      agent_id: 'a1',
      conversation_id: 'c1',
      idempotency_key: isEnded ? 'k1' : null,
      status,
      created_at: at(seq),
      finished_at: isEnded ? at(9) : null,
      run: JSON.stringify({ ...run, createdAt: at(seq) }),
      progress: isEnded ? JSON.stringify(progressOf(2)) : null,
      result: status === 'running' ? null : JSON.stringify(resultOf(status)),
      has_steps: isEnded ? 1 : 0,
    })
  }
  // Steps of runs that ran at the same time lie between each other.
  for (const [index, runSeq] of [1, 2, 1, 3, 1].entries()) {
    insert('run_steps', {
      run_seq: runSeq,
      first_seq: index + 1,
      last_seq: index + 1,
      progress: JSON.stringify(progressOf(index + 1)),
      messages: JSON.stringify([{ ...tool, results: [{ id: `k${index}`, name: 'time', result: oddText }] }]),
      events: JSON.stringify([{ event: 'assistant', data: { delta: `part ${index}` } }]),
    })
  }
  const approval = { run_id: 'waiting', id: 'p1', call_id: 'k1', tool: 'send', args: '{}', status: 'pending' }
  insert('approvals', { ...approval, created_at: at(1) })
  for (const type of ['agent.started', 'tool.called', 'skill.changed']) {
    insert('journal', { type, run_key: null, run_id: null, timestamp: at(1), data: '{"odd":1}' })
  }
  database.close()
}

it('brings a database of the first release to the newest version, with all that is in it', async () => {
  createVersionOne()
  const store = createSqliteStore({ path })
  const { rows } = await store.listRuns({}, { limit: 9 })
  expect(idsOf(rows)).toEqual(['completed', 'waiting', 'running'])
  expect(await store.findRun('completed')).toEqual({
    ...runOf('completed', { createdAt: at(2) }),
    status: 'completed',
    progress: progressOf(2),
    result: resultOf('completed'),
    finishedAt: at(9),
    cancelRequested: false,
  })
  const results = (await store.listRunMessages('running')).flatMap((message) =>
    message.role === 'tool' ? message.results.map(({ id }) => id) : [],
  )
  expect(results).toEqual(['k0', 'k2', 'k4'])
  expect((await store.listRunEvents('running', 0)).map(({ firstSeq }) => firstSeq)).toEqual([1, 3, 5])
  expect((await store.findRun('running'))?.progress).toEqual(progressOf(5))
  expect(idsOf(await store.listApprovals(['waiting']))).toEqual(['p1'])
  expect((await store.listEvents({ type: 'agent.started', limit: 9 })).map(({ seq }) => seq)).toEqual([1])
  const repeat = runOf('again', { idempotencyKey: 'k1' })
  expect((await store.insertRun(repeat, leaseOf(), [])).run.id).toBe('completed')
  await store.close()
})

it('A8: lets whoever comes first go on with a run that the first release left behind', async () => {
  createVersionOne()
  const store = createSqliteStore({ path })
  const [run] = await store.claimRuns({ lease: leaseOf(), now: at(0), limit: 9 })
  expect([run?.id, run?.lease, run?.kind, run?.accounts]).toEqual(['running', leaseOf(), 'agent', []])
  expect(run?.takeOvers).toBeUndefined()
  expect(await store.saveRunStep(stepOf('running', { stream: { firstSeq: 6, events: [] } }))).toBe(true)
  expect(await store.listRunMessages('running')).toHaveLength(4)
  expect(await store.finishRun(finishOf('running'))).toBe(true)
  expect(
    await store.finishRun(finishOf('waiting', { owner: undefined, conversation: appendOf(['w']) })),
  ).toBe(true)
  await store.close()
  const database = new DatabaseSync(path)
  expect(database.prepare('pragma integrity_check').all()).toMatchObject([{ integrity_check: 'ok' }])
  expect(database.prepare('pragma foreign_key_check').all()).toEqual([])
  expect(database.prepare("select name from sqlite_master where name like 'old_%'").all()).toEqual([])
  database.close()
})

it('A11: finds the memories of nobody, and of nobody else, that an earlier release wrote', async () => {
  const embedding = Float32Array.of(1, 0)
  const memories = [
    memoryOf('nobodys', `a pear ${oddText}`),
    memoryOf('anns', 'a pear', { userId: 'ann', embedding }),
  ]
  const store = createSqliteStore({ path })
  for (const memory of memories) await store.writeMemory(memory)
  await store.close()
  const database = new DatabaseSync(path)
  database.exec('delete from memory_words; delete from migrations where version > 4')
  for (const column of ['take_overs', 'taken_step']) database.exec(`alter table runs drop column ${column}`)
  database.exec('alter table memories drop column embedding_model')
  const insert = database.prepare('insert into memory_words (rowid, scope, text) values (?, ?, ?)')
  for (const [index, { userId, text }] of memories.entries()) {
    // As it was written then: whose it is, and nothing where it was nobody's.
    const scope = toScopeWords({ agentId: 'a1', userId }).join(' ')
    insert.run(index + 1, scope, toWords(text).join(' '))
  }
  database.close()

  const again = createSqliteStore({ path })
  const found = async (text: string, userId?: string | null) =>
    (await again.searchMemories({ text, userId, limit: 9, now: at(1) })).map(({ memory }) => memory.id)
  expect([await found('pear', null), await found('pear', 'ann')]).toEqual([['nobodys'], ['anns']])
  expect((await found('pear')).toSorted()).toEqual(['anns', 'nobodys'])
  // nobody noted then which model its vector is of
  const query = { text: 'x', limit: 9, now: at(1), embedding, embeddingModel: 'x/two' }
  expect((await again.searchMemories(query)).map(({ memory }) => memory.id)).toEqual(['anns'])
  await again.close()
})

it('A12: goes on with a conversation that the second release began', async () => {
  const database = new DatabaseSync(path)
  database.exec(
    'pragma journal_mode = wal; create table migrations (version integer primary key, name text not null)',
  )
  for (const migration of sqliteMigrations.slice(0, 2)) {
    database.exec(toScript(migration, createSqliteBuilder<RuntimeTables>(), 'main'))
    database
      .prepare('insert into migrations (version, name) values (?, ?)')
      .run(migration.version, migration.name)
  }
  database.exec(`insert into conversations (id, agent_id, summarized_seq, message_count, created_at, updated_at)
    values ('c1', 'a1', 0, 2, '${at(0)}', '${at(0)}')`)
  const insert =
    database.prepare(`insert into messages (conversation_id, seq, id, run_id, created_at, message)
    values ('c1', ?, ?, 'r1', '${at(0)}', ?)`)
  for (const index of [0, 1])
    insert.run(index + 1, `r1.${index}`, JSON.stringify({ role: 'user', text: oddText }))
  database.close()

  const store = createSqliteStore({ path })
  const turn = (runId: string) => ({
    ...appendOf([`${runId}.0`, `${runId}.1`]),
    messages: [0, 1].map((index) => ({
      id: `${runId}.${index}`,
      runId,
      message: { role: 'user', text: oddText } as const,
    })),
  })
  await expect(store.appendMessages(turn('r1'))).rejects.toMatchObject({ code: 'conflict' })
  await store.appendMessages(turn('r2'))
  const { rows } = await store.listMessages('c1', { limit: 9 })
  expect(rows.map(({ seq, id }) => [seq, id])).toEqual([
    [4, 'r2.1'],
    [3, 'r2.0'],
    [2, 'r1.1'],
    [1, 'r1.0'],
  ])
  expect(rows.every(({ message }) => message.role === 'user' && message.text === oddText)).toBe(true)
  await store.close()
})
