import { Client } from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { useChannels, useRuns, useTasks } from '../../testing/use-store.ts'
import { createPostgresStore } from './index.ts'
import type { TestDatabase } from './testing/test-database.ts'
import { createTestDatabase } from './testing/test-database.ts'
import { emptySchema } from './testing/test-schemas.ts'

const schema = 'plans'
let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

/** So much of everything that an index pays; most of it has ended. */
const fill = `set search_path = ${schema};
insert into runs (id, agent_id, graph_id, parent_run_id, conversation_id, status, created_at, finished_at,
    cancel_requested, has_steps, duration_ms, cost_micro_usd, source, run)
  select 'x' || i, 'a' || i % 50, case when i % 10 = 0 then 'g' || i % 7 end, case when i % 10 = 1 then 'x' || i - 1 end,
    'c' || i % 2000, case when i % 1000 = 0 then 'running' when i % 1000 = 1 then 'waiting' else 'completed' end,
    '2026-01-01T' || i, case when i % 1000 > 1 then '2026-01-02T' || i end, 0, i % 2,
    case when i % 1000 > 1 then i end, case when i % 1000 > 1 and i % 3 = 0 then i end, case when i % 100 = 0 then 'chat' else 'api' end, '{}'
  from generate_series(1, 10000) as i;
insert into run_words select seq, to_tsvector('simple', 'w' || seq % 500 || ' o' || seq % 3) from runs where id like 'x%';
insert into run_steps (seq, first_seq, last_seq, progress, messages, events)
  select (1000 + i / 10)::bigint * 1048576 + i % 10, 0, 0, '{}', '[]', '[]' from generate_series(1, 10000) as i;
insert into run_effects select (1000 + i)::bigint * 1048576, 'k', '{}' from generate_series(1, 5000) as i;
insert into waits (run_id, id, kind, status, agent_id, user_id, call_id, tool, args, created_at)
  select 'x' || i, 'p' || i, 'approval', 'answered', 'a' || i % 50, 'u' || i % 100, 'c', 't', '{}', '2026' from generate_series(1, 5000) as i;
insert into approval_notices (run_id, approval_id, channel, chat, code, message_id, blocking, open)
  select 'x' || i, 'p' || i, 'one', 'c' || i % 500, 'k' || i, 'm' || i, 1, case when i % 100 = 0 then 1 else 0 end
  from generate_series(1, 5000) as i;
insert into conversations (id, agent_id, user_id, summarized_seq, message_count, created_at, updated_at)
  select 'x' || i, 'a' || i % 50, case when i % 2 = 0 then 'u' || i % 100 end, 0, 10, '2026', '2026-01-01T' || i
  from generate_series(1, 5000) as i;
insert into messages (conversation_id, seq, id, created_at, message)
  select 'x' || 1 + i % 5000, 1 + i / 5000, 'm' || i, '2026', '{}' from generate_series(1, 10000) as i;
insert into journal (type, run_id, timestamp, data)
  select case i % 10 when 0 then 'agent.started' when 1 then 'agent.completed' else 'tool.called' end,
    'x' || i / 10, '2026-01-01', '{}' from generate_series(1, 60000) as i;
insert into memories (id, memory, words, expires_at, lexemes)
  select 'x' || i, '{}', 2, case when i % 2 = 0 then '2027-01-01' end, to_tsvector('simple', 'w' || i % 500 || ' o' || i % 3)
  from generate_series(1, 10000) as i;
insert into task_lanes (subject, ready, served)
  select 'agent x' || i, case when i % 10 = 0 then 1 else 0 end, i from generate_series(1, 2000) as i;
insert into tasks (id, lane, status, ready, serial, scheduled, priority, run_at, attempt, run_count, cancel_requested,
    parked, updated_at, finished_at, task)
  select 'x' || i, (select min(id) from task_lanes where subject like 'agent x%') + i % 2000,
    case i % 100 when 0 then 'queued' when 1 then 'running' when 2 then 'failed' else 'completed' end,
    case when i % 200 = 0 then 1 else 0 end, 0, 0, 0, '2026', 1, 1, 0, 0, '2026',
    case when i % 100 > 1 then '2026-01-02' end, '{}' from generate_series(1, 10000) as i;
insert into own_schedules
  select 'x' || i, '2026-01-01T' || i, 'agent:x' || i % 5000, '{}' from generate_series(1, 10000) as i;
insert into schedules select 'agent', 'x' || i, '@daily', '2026' from generate_series(1, 5000) as i;
insert into budget_accounts select case when i % 20 = 0 then 'agent:a' || i || ':2026-01-01' else 'run:x' || i end, 1, 1
  from generate_series(1, 20000) as i;
insert into budget_reservations select 'x' || i || ':1:1@o', '[]', 1, 1, 1 from generate_series(1, 10000) as i;
insert into channel_messages (id, channel, conversation_id, task_id, status, open, tries, updated_at, message)
  select 'x' || i, 'channel' || i % 5, 'x' || i % 5000, 'x' || i, case when i % 100 = 0 then 'waiting' else 'delivered' end,
    case when i % 100 = 0 then 1 else 0 end, 0, '2026', '{}' from generate_series(1, 10000) as i;
insert into channel_parts (message_seq, number, state, is_plain, text, plain)
  select seq, 0, 'sent', 0, '', '' from channel_messages where id like 'x%';
insert into channel_senders (channel, id, kind, status, first_seen_at, last_seen_at)
  select 'channel' || i % 500, 'x' || i, 'person', case when i % 100 = 0 then 'pending' else 'allowed' end, '2026', '2026'
  from generate_series(1, 10000) as i;
insert into channel_chats (chat, channel, target, peer_kind, peer_id, conversation_id, used_conversation_id, last_seen_at)
  select 'x' || i, 'channel' || i % 5, '{}', 'person', 'x' || i, 'y' || i, 'z' || i, '2026' from generate_series(1, 10000) as i;
insert into channel_routes (channel, conversation, agent_id)
  select 'channel' || i % 500, 'x' || i, 'a' || i % 50 from generate_series(1, 10000) as i;
insert into channel_keys select 'x' || i, '2026' from generate_series(1, 10000) as i;
insert into remembered_calls (id, agent_id, conversation_id, call_hash, call)
  select 'x' || i, 'a' || i % 500, 'x' || i % 2000, 'h' || i, '{}' from generate_series(1, 10000) as i;
insert into run_inputs (run_id, id, mode, delivered, input)
  select id, 'i', 'steer', 1, '{}' from runs where id like 'x%';
insert into file_contents select 'x' || i, '' from generate_series(1, 10000) as i;
insert into files (id, owner, conversation_id, name, media_type, bytes, sha256, created_at)
  select 'x' || i, 'run:x' || i / 2, case when i % 2 = 0 then 'x' || i / 4 end, 'n', 't', 1, 'x' || i, '2026'
  from generate_series(1, 10000) as i;
insert into access_tokens select 'x' || i, 'h' || i, '2026', null, null, null, '{}' from generate_series(1, 10000) as i;
insert into audit select 100000 + i, 'x' || i, '2026-01-01T' || i, 'a', 'b', 'c', 'done', null from generate_series(1, 100000) as i;
analyze`

/** Tables that have one row, one for each account of a channel, or few: there are at most 1,000 tokens. */
const small =
  /Seq Scan on (?:memory_totals|chunk_totals|collections|document_removals|document_pieces|channel_polls|access_tokens)/

it('reads no table from end to end, whatever agents, tasks and channels ask for', async () => {
  const { connectionString } = database
  const store = await createPostgresStore({ connectionString, schema })
  const query = vi.spyOn(Client.prototype, 'query')
  for (const use of [useRuns, useTasks, useChannels]) {
    await emptySchema(database, schema)
    await use(store)
  }
  const given = query.mock.calls.map(
    ([config]: readonly unknown[]) => config as { name?: string; text?: string },
  )
  query.mockRestore()
  await store.close()
  await database.query(fill)

  // As on a disk without a head: with so few rows, looking some hundred of them up would else seem dearer than all of them.
  const options = `-c search_path=${schema} -c random_page_cost=1.1`
  const client = new Client({ connectionString, options })
  await client.connect()
  const found: string[] = []
  const statements = new Set(given.flatMap(({ name, text }) => (name && text ? [text] : [])))
  for (const sql of statements) {
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${sql}`)
    const scans = rows.map((row) => row['QUERY PLAN']).filter((line) => line.includes('Seq Scan'))
    for (const scan of scans.filter((line) => !small.test(line))) found.push(`${scan}: ${sql}`)
  }
  await client.end()
  expect(found).toEqual([])
  expect(statements.size).toBeGreaterThan(130)
})
