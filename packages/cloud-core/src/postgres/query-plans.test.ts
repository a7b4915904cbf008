import type { DeviceFilter } from '@homeward/contract/device-cloud'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { TestDatabase } from '../../../../tests/postgres/test-database.ts'
import { createTestDatabase } from '../../../../tests/postgres/test-database.ts'
import {
  at,
  auditOf,
  deviceOf,
  groupOf,
  keyOf,
  onceOf,
  online,
  returnOf,
  searchOf,
  uploadOf,
} from '../testing/store-harness.ts'
import { useEnrollments } from '../testing/use-enrollments.ts'
import type { CloudStore } from '../ports/cloud-store.ts'
import { useSavedSearches } from '../testing/use-saved-searches.ts'
import { createPostgresStore } from './index.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const schema = 'plans'
let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const deviceFilters: readonly DeviceFilter[] = [
  {},
  { labels: ['a'] },
  { labels: ['a', 'b'] },
  { type: 't' },
  { platform: 'p' },
  { text: 'x' },
  { status: 'online' },
  { status: 'offline', labels: ['a', 'b'], type: 't', platform: 'p', text: 'x' },
]

/** So much of everything that an index pays. */
const fill = `set search_path = ${schema};
insert into devices select 'x' || i, 'o' || i % 50, 'n', 't', 'p', '{}', '2026-01-01', 'h' || i, 'k', null, null, null
  from generate_series(1, 5000) as i;
insert into device_labels select 'o' || i % 50, 'l' || i % 7, '2026-01-01', 'x' || i from generate_series(1, 5000) as i;
insert into presence select 'x' || i, 1767225600000, 1767225600000, null from generate_series(1, 5000) as i;
insert into presence_gaps select 'x' || 1 + i % 5000, i, i + 1 from generate_series(1, 20000) as i;
insert into searches (id, device_id, owner, query, scope, created_at, expires_at, status)
  select 'x' || i, 'x' || 1 + i % 5000, 'o' || i % 50, 'q', '[]', '2026-01-01', '2026-01-02',
  case i % 10 when 0 then 'pending' when 1 then 'failed' else 'completed' end from generate_series(1, 40000) as i;
insert into uploads (id, device_id, owner, file_path, destination, created_at, expires_at, status, file_blob_id)
  select 'x' || i, 'x' || 1 + i % 5000, 'o' || i % 50, 'p', 'cloud', '2026-01-01', '2026-01-02',
  case i % 10 when 0 then 'pending' when 1 then 'failed' else 'completed' end, 'x' || i from generate_series(1, 40000) as i;
insert into work_groups (id, owner, kind, query, search_text, scope, created_at, expires_at, unmade, saved_search_id)
  select 'x' || i, 'o' || i % 50, 'search', 'q', 'q', '[]', '2026-01-01', '2026-01-02', 0, 'v' || i % 500
  from generate_series(1, 20000) as i;
update searches set group_id = id; update uploads set group_id = id;
insert into saved_searches (id, owner, name, query, scope, filter, created_at, updated_at, next_at)
  select 'x' || i, 'o' || i % 50, 'n', 'q', '[]', '{}', '2026-01-01', '2026-01-01', '2027-01-01'
  from generate_series(1, 5000) as i;
insert into creations select 'o' || i % 50, 'k' || i, 'f', 'r', '2026-01-01', '2026-01-02' from generate_series(1, 20000) as i;
insert into audit (id, owner, created_at, expires_at, action, outcome, device_id)
  select 'x' || i, 'o' || i % 50, '2026-01-01', '2027-01-01', 'key:revealed', 'done', 'x' || i % 5000
  from generate_series(1, 40000) as i;
insert into enrollments (id, key_hash, key_hint, code_hash, status, name, type, platform, metadata, created_at, expires_at, purge_at, device_id)
  select 'x' || i, 'x' || i, 'h', 'x' || i, case i % 10 when 0 then 'pending' else 'approved' end, 'n', 't', 'p', '{}',
  '2026-01-01', '2026-01-02', case i % 10 when 0 then '2026-01-03' end, case i % 10 when 0 then null else 'x' || 1 + i % 5000 end
  from generate_series(1, 20000) as i;
insert into enrollment_tokens (id, owner, secret_hash, label, labels, approval, used, created_at, revoked_at)
  select 'x' || i, 'o' || i % 50, 'x' || i, 'l', '[]', 'auto', 0, '2026-01-01', case i % 2 when 0 then '2026-01-02' end
  from generate_series(1, 5000) as i;
insert into webhooks (id, owner, url, events, enabled, secret, created_at, updated_at)
  select 'x' || i, 'o' || i % 500, 'u', '["x"]', i % 2, 's', '2026-01-01', '2026-01-01' from generate_series(1, 5000) as i;
insert into webhook_deliveries (id, webhook_id, subject, type, data, at, status, attempts, next_at)
  select 'x' || i, 'x' || 1 + i % 5000, 's' || i % 9, 'x', '{}', '2026-01-01',
  case i % 10 when 0 then 'pending' else 'delivered' end, 1, case i % 10 when 0 then '2026-01-01' end
  from generate_series(1, 40000) as i;
insert into secrets select 'x' || i, 'v' from generate_series(1, 5000) as i;
analyze`

/** What the courier asks every second, of a few owners' webhooks: which of them something is due for, and what they want. */
const readsAllWebhooks = /^select (distinct )?("id"|"events").* from "webhooks"/

async function useWebhooks(store: CloudStore): Promise<void> {
  const times = { createdAt: at(0), updatedAt: at(0), failingSince: null, disabledReason: null }
  const webhook = { id: 'w1', owner: 'ann', url: 'u', events: ['x'], enabled: true, secret: 's', ...times }
  const event = { id: 'e1', owner: 'ann', type: 'x', subject: 'd1', data: {}, at: at(0) }
  const outcome = await store.insertWebhook(webhook, 9, onceOf('w9'), [auditOf('w9')])
  if (outcome.kind !== 'created') throw new Error('The webhook was not added')
  await store.addWebhookEvents([event])
  await store.listWebhooks('ann')
  await store.listDeliveries('w1', 9)
  const claim = { now: at(1), until: at(9), perWebhook: 9, limit: 100_000, busy: [] }
  const due = (await store.claimWebhookDeliveries(claim)).find((each) => each.webhook.id === 'w1')
  if (due === undefined) throw new Error('Nothing was due')
  await store.claimWebhookDeliveries({ ...claim, now: at(2) })
  const attempt = {
    id: 'e1',
    webhookId: 'w1',
    attempt: 1,
    at: at(3),
    responseCode: 500,
    error: 'x',
    disable: null,
  }
  await store.recordAttempt({ ...attempt, status: 'pending', nextAt: at(4), failingBefore: at(0) })
  await store.pruneDeliveries({ before: at(0), maxEnded: 9, maxPending: 9 })
  await store.updateWebhook('ann', 'w1', { enabled: false }, at(4))
  await store.deleteWebhook('ann', 'w1')
}

it('reads no table from end to end, whatever devices and dashboards ask for', async () => {
  const statements = new Set<string>()
  const { connectionString } = database
  const store = await createPostgresStore({
    connectionString,
    schema,
    onStatement: ({ sql }) => statements.add(sql),
  })
  await database.query(fill)
  const outcome = { status: 'completed', results: {}, error: null } as const
  const failed = { status: 'failed', error: 'x' } as const
  const filters = [
    {},
    { deviceId: 'd1' },
    { groupId: 'g1' },
    { groupId: 'g1', deviceId: 'd1' },
    { status: 'pending' },
    { status: 'failed' },
    { status: 'completed' },
  ] as const
  await store.insertDevice(deviceOf('d1'), onceOf('k0'), [auditOf('e1')])
  await store.insertSearches(
    'ann',
    [searchOf('s1', { groupId: 'g1' })],
    onceOf('k1'),
    [auditOf('e2')],
    groupOf('g1'),
  )
  await store.insertUploads('ann', [uploadOf('u1')], onceOf('k2'), [auditOf('e3')])
  await store.findDeviceByKeyHash('hash-d1', at(1))
  await store.findDevice('ann', 'd1')
  await store.writeHeartbeats([{ deviceId: 'd1', lastSeenAt: at(1), metadata: { os: 'x' } }], at(1))
  await store.writeHeartbeats([returnOf('d1', 2)], at(2))
  await store.findPresence('d1')
  await store.listPresence('', 9)
  await store.claimOffline({ deviceIds: ['d1'], seenBefore: at(9), now: at(9) })
  await store.removePresence(['d1'])
  await store.countPending('d1', at(1))
  await store.listPendingSearches('d1', 20, at(1))
  await store.listPendingUploads('d1', 20, at(1))
  for (const id of ['s1', 's1']) await store.settleSearch({ id, deviceId: 'd1', outcome, now: at(1) })
  await store.leaseUpload({
    id: 'u1',
    deviceId: 'd1',
    blobId: 'b1',
    leaseUntil: at(9),
    now: at(1),
    maxLeases: 9,
  })
  for (const id of ['u1', 'u1']) await store.settleUpload({ id, deviceId: 'd1', outcome: failed, now: at(2) })
  await store.cancelUpload('ann', 'u1', at(3))
  await store.findFile('ann', 'b1')
  await store.filterUnusedBlobs(['b1'])
  await store.rotateKey({ owner: 'ann', deviceId: 'd1', key: keyOf('k2'), previousUntil: at(9), now: at(1) })
  await store.retirePreviousKey('d1', 'hash-k2')
  for (const filter of deviceFilters) await store.countDevices('ann', filter, online)
  await store.updateDevice('ann', 'd1', { name: 'n', labels: ['a'] })
  for (const after of [undefined, { createdAt: at(9), id: 'x' }]) {
    const page = { limit: 20, ...(after && { after }) }
    for (const filter of deviceFilters) await store.listDevices('ann', filter, page, online)
    await store.listGroups('ann', {}, page, at(1))
    await store.listGroups('ann', { savedSearchId: 'v1' }, page, at(1))
    for (const status of ['pending', 'settled'] as const)
      await store.listGroups('ann', { words: ['a'], from: at(0), to: at(9), status }, page, at(1))
    await store.listSavedSearches('ann', page)
    for (const filter of filters) {
      await store.listSearches('ann', filter, page, at(1))
      await store.listUploads('ann', filter, page, at(1))
    }
    for (const filter of [
      {},
      { deviceId: 'd1' },
      { action: 'key:revealed' },
      { from: at(0), to: at(9) },
    ] as const)
      await store.listAudit('ann', filter, page, at(1))
  }
  await useEnrollments(store)
  await useWebhooks(store)
  await useSavedSearches(store)
  await store.findGroup('ann', 'g1', at(1))
  await store.endSearch('ann', 's1', at(3))
  await store.removeGroup('ann', 'g1')
  await store.endGroupSearches('g1', 9, at(3))
  await store.deleteDevice('ann', 'd1')
  await store.close()
  expect(statements.size).toBeGreaterThan(40)
  const client = new Client({ connectionString, options: `-c search_path=${schema}` })
  await client.connect()
  const found: { sql: string; scans: string[] }[] = []
  for (const sql of statements) {
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${sql}`)
    const scans = rows.map((row) => row['QUERY PLAN']).filter((line) => line.includes('Seq Scan'))
    if (readsAllWebhooks.test(sql)) continue
    if (scans.length > 0) found.push({ sql, scans })
  }
  await client.end()
  expect(found).toEqual([])
})
