import { Client } from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { TestDatabase } from '../../../../tests/postgres/test-database.ts'
import { createTestDatabase } from '../../../../tests/postgres/test-database.ts'
import { at, auditOf, deviceOf, keyOf, onceOf, searchOf, uploadOf } from '../testing/store-harness.ts'
import { openPostgresStore } from './index.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const schema = 'plans'
let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

/** So much of everything that an index pays. */
const fill = `set search_path = ${schema};
insert into devices select 'x' || i, 'o' || i % 50, 'n', 't', 'p', '{}', null, '2026-01-01', 'h' || i, 'k', null, null, null
  from generate_series(1, 5000) as i;
insert into searches (id, device_id, owner, query, scope, created_at, expires_at, status)
  select 'x' || i, 'x' || 1 + i % 5000, 'o' || i % 50, 'q', '[]', '2026-01-01', '2026-01-02',
  case i % 10 when 0 then 'pending' when 1 then 'failed' else 'completed' end from generate_series(1, 40000) as i;
insert into uploads (id, device_id, owner, file_path, destination, created_at, expires_at, status, file_blob_id)
  select 'x' || i, 'x' || 1 + i % 5000, 'o' || i % 50, 'p', 'cloud', '2026-01-01', '2026-01-02',
  case i % 10 when 0 then 'pending' when 1 then 'failed' else 'completed' end, 'x' || i from generate_series(1, 40000) as i;
insert into creations select 'o' || i % 50, 'k' || i, 'f', 'r', '2026-01-01', '2026-01-02' from generate_series(1, 20000) as i;
insert into audit (id, owner, created_at, expires_at, action, outcome, device_id)
  select 'x' || i, 'o' || i % 50, '2026-01-01', '2027-01-01', 'key:revealed', 'done', 'x' || i % 5000
  from generate_series(1, 40000) as i;
analyze`

it('reads no table from end to end, whatever devices and dashboards ask for', async () => {
  const statements = new Set<string>()
  const { connectionString } = database
  const store = await openPostgresStore({
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
    { status: 'pending' },
    { status: 'failed' },
    { status: 'completed' },
  ] as const
  await store.insertDevice(deviceOf('d1'), onceOf('k0'), [auditOf('e1')])
  await store.insertSearches('ann', [searchOf('s1')], onceOf('k1'), [auditOf('e2')])
  await store.insertUploads('ann', [uploadOf('u1')], onceOf('k2'), [auditOf('e3')])
  await store.findDeviceByKeyHash('hash-d1', at(1))
  await store.findDevice('ann', 'd1')
  await store.touchDevices([{ deviceId: 'd1', lastSeenAt: at(1), metadata: { os: 'x' } }], at(1))
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
  for (const after of [undefined, { createdAt: at(9), id: 'x' }]) {
    const page = { limit: 20, ...(after && { after }) }
    await store.listDevices('ann', page)
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
  await store.deleteDevice('ann', 'd1')
  await store.close()
  expect(statements.size).toBeGreaterThan(40)
  const client = new Client({ connectionString, options: `-c search_path=${schema}` })
  await client.connect()
  const found: { sql: string; scans: string[] }[] = []
  for (const sql of statements) {
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${sql}`)
    const scans = rows.map((row) => row['QUERY PLAN']).filter((line) => line.includes('Seq Scan'))
    if (scans.length > 0) found.push({ sql, scans })
  }
  await client.end()
  expect(found).toEqual([])
})
