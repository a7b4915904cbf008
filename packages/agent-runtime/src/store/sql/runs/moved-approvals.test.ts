import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createPostgresBuilder } from '@homeward/kit/postgres'
import { createSqliteBuilder } from '@homeward/kit/sqlite'
import { toScript } from '@homeward/kit/sql'
import { expect, it, onTestFinished } from 'vitest'
import { leaseOf } from '../../../testing/conformance-fixtures.ts'
import type { RuntimeStore } from '../../ports/runtime-store.ts'
import { createPostgresStore } from '../../postgres/index.ts'
import { postgresMigrations } from '../../postgres/migrations.ts'
import { createTestDatabase } from '../../postgres/testing/test-database.ts'
import { createSqliteStore } from '../../sqlite/index.ts'
import { sqliteMigrations } from '../../sqlite/migrations.ts'
import { toApprovals } from '../../wait-view.ts'
import type { RuntimeTables } from '../schema.ts'

const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`
const odd = 'it\'s "5" \\ ü'
const quoted = `'${odd.replaceAll("'", "''")}'`
const ended = `'The run ended before anyone decided.'`

/** An approval of an older version: columns behind its status. */
const approval = (id: string, status: string, changes: readonly string[]) =>
  `insert into approvals (run_id, id, call_id, tool, args, call_hash, status, expires_at, edited_args, reason, response,
     created_at, decided_at, decided_by, announced)
   values ('r1', '${id}', 'c-${id}', 'pay', '{"to":"ü"}', null, '${status}', ${changes.join(', ')});`

const rows = [
  `insert into runs (id, agent_id, source, status, created_at, cancel_requested, has_steps, run)
     values ('r1', 'a1', 'api', 'waiting', '${at(0)}', 0, 0, '{"id":"r1","userId":"ann"}');`,
  approval('open', 'pending', [`'${at(9)}'`, 'null', 'null', 'null', `'${at(1)}'`, 'null', 'null', '1']),
  approval('edited', 'approved', [
    'null',
    `'{"to":5}'`,
    'null',
    'null',
    `'${at(1)}'`,
    `'${at(2)}'`,
    `'tg:1'`,
    '0',
  ]),
  approval('said', 'responded', ['null', 'null', 'null', quoted, `'${at(1)}'`, `'${at(2)}'`, 'null', '0']),
  approval('denied', 'denied', ['null', 'null', quoted, 'null', `'${at(1)}'`, `'${at(2)}'`, `'tg:1'`, '0']),
  approval('late', 'denied', ['null', 'null', quoted, 'null', `'${at(1)}'`, `'${at(2)}'`, `'timeout'`, '0']),
  approval('over', 'denied', ['null', 'null', ended, 'null', `'${at(1)}'`, `'${at(2)}'`, 'null', '0']),
  `insert into approval_notices values ('r1', 'open', 'one', 'chat', 'CODE', 'm', 1, 1);`,
].join('\n')

async function expectWaits(store: RuntimeStore): Promise<void> {
  const waits = await store.listWaitsOf(['r1'])
  const shown = (wait: (typeof waits)[number]) => [wait.id, wait.status, wait.data, wait.agentId, wait.userId]
  expect(waits.map(shown)).toEqual([
    ['open', 'open', undefined, 'a1', 'ann'],
    ['edited', 'answered', { decision: 'approve', args: { to: 5 } }, 'a1', 'ann'],
    ['said', 'answered', { decision: 'respond', text: odd }, 'a1', 'ann'],
    ['denied', 'answered', { decision: 'deny', reason: odd }, 'a1', 'ann'],
    ['late', 'expired', { decision: 'deny', reason: odd }, 'a1', 'ann'],
    ['over', 'cancelled', { decision: 'deny', reason: ended.slice(1, -1) }, 'a1', 'ann'],
  ])
  const head = { run_id: 'r1', tool: 'pay', args: { to: 'ü' }, created_at: at(1) }
  const decided = { ...head, decided_at: at(2) }
  expect(toApprovals(waits)).toEqual([
    { ...head, id: 'open', status: 'pending', expires_at: at(9) },
    { ...decided, id: 'edited', status: 'approved', edited_args: { to: 5 }, decided_by: 'tg:1' },
    { ...decided, id: 'said', status: 'responded', response: odd },
    { ...decided, id: 'denied', status: 'denied', reason: odd, decided_by: 'tg:1' },
    { ...decided, id: 'late', status: 'denied', reason: odd, decided_by: 'timeout' },
    { ...decided, id: 'over', status: 'denied', reason: ended.slice(1, -1) },
  ])
  expect(await store.listUnannounced(9)).toEqual([])
  expect(await store.findChatNotices('chat')).toMatchObject([{ code: 'CODE', wait: { id: 'open' } }])
  expect(await store.listDueWaits(at(9), 9)).toMatchObject({ due: [{ id: 'open' }] })
  expect(await store.resumeRun('r1', leaseOf())).toBe(false)
  const decision = {
    status: 'answered',
    data: { decision: 'approve' },
    settledAt: at(3),
    journal: [],
  } as const
  const outcome = await store.settleWait({ runId: 'r1', waitId: 'open', ...decision })
  expect(outcome).toMatchObject({ outcome: 'settled', open: 0 })
  expect(await store.resumeRun('r1', leaseOf())).toBe(true)
}

it('waits: approvals of an older SQLite file are waits, with their decisions', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-waits-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'agents.db')
  const database = new DatabaseSync(path)
  database.exec('create table migrations (version integer primary key, name text not null)')
  for (const step of sqliteMigrations.filter(({ version }) => version < 14)) {
    database.exec(toScript(step, createSqliteBuilder<RuntimeTables>(), ''))
    database.exec(`insert into migrations values (${step.version}, 'older')`)
  }
  database.exec(rows)
  database.close()
  const store = createSqliteStore({ path })
  await expectWaits(store)
  await store.close()
})

it('waits: approvals of an older Postgres schema are waits, with their decisions', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const steps = postgresMigrations.filter(({ version }) => version < 12)
  const scripts = steps.map(
    (step) => `${toScript(step, createPostgresBuilder<RuntimeTables>(), 'older')};
      insert into migrations values (${step.version}, 'older');`,
  )
  await database.query(`create schema older; set search_path = older;
    create table migrations (version integer primary key, name text not null);
    ${scripts.join('\n')} ${rows}`)
  const { connectionString } = database
  const store = await createPostgresStore({ connectionString, schema: 'older' })
  await expectWaits(store)
  await store.close()
})
