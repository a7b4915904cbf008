import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createPostgresBuilder } from '@homeward/kit/postgres'
import { createSqliteBuilder } from '@homeward/kit/sqlite'
import { toScript } from '@homeward/kit/sql'
import { expect, it, onTestFinished } from 'vitest'
import type { RuntimeStore } from '../../ports/runtime-store.ts'
import { createPostgresStore } from '../../postgres/index.ts'
import { postgresMigrations } from '../../postgres/migrations.ts'
import { createTestDatabase } from '../../postgres/testing/test-database.ts'
import { createSqliteStore } from '../../sqlite/index.ts'
import { sqliteMigrations } from '../../sqlite/migrations.ts'
import type { RuntimeTables } from '../schema.ts'

const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`

/** A decision, and the run that asked if it is still there. */
function decision(n: number, agent: string, conversation: string, user?: string | null): string {
  const call = JSON.stringify({ id: `m${n}`, agentId: agent, tool: 'pay', args: {}, createdAt: at(n) })
  const run = JSON.stringify({ id: `r${n}`, ...(user && { userId: user }) })
  const remembered = `insert into remembered_calls (id, agent_id, conversation_id, call_hash, call)
    values ('m${n}', '${agent}', '${conversation}', 'h${n}', '${call}');`
  if (user === undefined) return remembered
  return `${remembered}
    insert into runs (id, agent_id, source, status, created_at, cancel_requested, has_steps, run)
      values ('r${n}', '${agent}', 'api', 'completed', '${at(0)}', 0, 0, '${run}');
    insert into approvals (run_id, id, call_id, tool, args, call_hash, status, created_at, decided_at)
      values ('r${n}', 'p${n}', 'c', 'pay', '{}', 'h${n}', 'approved', '${at(0)}', '${at(n)}');`
}

const rows = [
  decision(1, 'shared', '', 'ann'),
  decision(2, 'shared', '', null),
  decision(3, 'shared', 'c1'), // its run is gone
  decision(4, 'shared', ''), // its run is gone, and anybody's
  decision(5, 'own', ''), // its run is gone; the agent has no users
  `insert into conversations
     (id, agent_id, user_id, title, summary, summarized_seq, message_count, created_at, updated_at)
     values ('c1', 'shared', 'bob', null, null, 0, 0, '${at(0)}', '${at(0)}');`,
].join('\n')

async function expectUsers(store: RuntimeStore): Promise<void> {
  const usersOf = async (agentId: string) =>
    (await store.listRememberedCalls({ agentId })).map(({ id, userId }) => [id, userId])
  expect(await usersOf('shared')).toEqual([
    ['m3', 'bob'],
    ['m2', undefined],
    ['m1', 'ann'],
  ])
  expect(await usersOf('own')).toEqual([['m5', undefined]])
}

it('A20: gives remembered decisions of an older SQLite file to the users of their runs', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-users-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'agents.db')
  const database = new DatabaseSync(path)
  database.exec('create table migrations (version integer primary key, name text not null)')
  database.exec(toScript(sqliteMigrations[0]!, createSqliteBuilder<RuntimeTables>(), ''))
  database.exec(`insert into migrations values (${sqliteMigrations[0]!.version}, 'first'); ${rows}`)
  database.close()
  const store = createSqliteStore({ path })
  await expectUsers(store)
  await store.close()
})

it('A20: gives remembered decisions of an older Postgres schema to the users of their runs', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  await database.query(`create schema older; set search_path = older;
    create table migrations (version integer primary key, name text not null);
    ${toScript(postgresMigrations[0]!, createPostgresBuilder<RuntimeTables>(), 'older')};
    insert into migrations values (${postgresMigrations[0]!.version}, 'first'); ${rows}`)
  const { connectionString } = database
  const store = await createPostgresStore({ connectionString, schema: 'older' })
  await expectUsers(store)
  await store.close()
})
