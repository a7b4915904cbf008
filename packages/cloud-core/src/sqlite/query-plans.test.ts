import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { CloudStore } from '../ports/index.ts'
import { at, groupOf, onceOf, online, searchOf, uploadOf, withDevices } from '../testing/store-harness.ts'
import { useEnrollments } from '../testing/use-enrollments.ts'
import { useSavedSearches } from '../testing/use-saved-searches.ts'
import { createSqliteStore } from './index.ts'

let folder = ''
let path = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeward-plans-'))
  path = join(folder, 'cloud.db')
})
afterEach(() => rm(folder, { recursive: true }))

/** The statements that `use` makes a store run. */
async function statementsOf(use: (store: CloudStore) => Promise<unknown>): Promise<readonly string[]> {
  const seen = new Set<string>()
  let watching = false
  const store = createSqliteStore({ path, onStatement: ({ sql }) => void (watching && seen.add(sql)) })
  await withDevices(store)
  watching = true
  await use(store)
  await store.close()
  return [...seen]
}

function planOf(database: DatabaseSync, sql: string): readonly string[] {
  return database
    .prepare(`explain query plan ${sql}`)
    .all()
    .map((step) => String(step['detail']))
}

it('finds what devices call for, and what sweeps remove, without scanning or sorting anything', async () => {
  const outcome = { status: 'completed', results: {}, error: null } as const
  const statements = await statementsOf(async (store) => {
    await store.insertSearches('ann', [searchOf('s1', { groupId: 'g1' })], onceOf('k1'), [], groupOf('g1'))
    await store.insertUploads('ann', [uploadOf('u1')], onceOf('k2'))
    await store.findDeviceByKeyHash('hash-d1', at(1))
    await store.writeHeartbeats([{ deviceId: 'd1', lastSeenAt: at(1), metadata: { os: 'x' } }], at(1))
    await store.listPresence('', 9)
    await store.claimOffline({ deviceIds: ['d1'], seenBefore: at(9), now: at(9) })
    await store.removePresence(['d1'])
    await store.countPending('d1', at(1))
    await store.listPendingSearches('d1', 20, at(1))
    await store.listPendingUploads('d1', 20, at(1))
    await store.settleSearch({ id: 's1', deviceId: 'd1', outcome, now: at(1) })
    await store.settleSearch({ id: 's1', deviceId: 'd1', outcome, now: at(1) })
    await store.leaseUpload({
      id: 'u1',
      deviceId: 'd1',
      blobId: 'b1',
      leaseUntil: at(9),
      now: at(1),
      maxLeases: 9,
    })
    await store.settleUpload({
      id: 'u1',
      deviceId: 'd1',
      outcome: { status: 'failed', error: 'x' },
      now: at(2),
    })
    await store.cancelUpload('ann', 'u1', at(3))
    await store.findFile('ann', 'b1')
    await useEnrollments(store)
    await useSavedSearches(store)
    await store.findGroup('ann', 'g1', at(3))
    await store.endSearch('ann', 's1', at(3))
    await store.removeGroup('ann', 'g1')
    await store.endGroupSearches('g1', 9, at(3))
  })
  expect(statements.length).toBeGreaterThan(15)
  const database = new DatabaseSync(path)
  for (const sql of statements) {
    // The one index that is read from its start holds nothing but the groups that are at work.
    const plan = planOf(database, sql)
    expect({
      sql,
      found: plan.filter((detail) =>
        /^SCAN (?!CONSTANT ROW|work_groups USING INDEX work_groups_task)|TEMP B-TREE/.test(detail),
      ),
    }).toEqual({
      sql,
      found: [],
    })
  }
  database.close()
})

it('reads what a device was asked for off the end of its indexes', async () => {
  const statements = await statementsOf(async (store) => {
    await store.listAsked('d1', { limit: 5 }, at(1))
    await store.listAsked('d1', { limit: 5, after: { createdAt: at(1), id: 'x' } }, at(1))
  })
  const database = new DatabaseSync(path)
  for (const sql of statements) {
    const read = planOf(database, sql).filter((detail) => /\b(?:searches|uploads)\b/.test(detail))
    expect(read).toEqual([
      expect.stringMatching(/^SEARCH searches USING INDEX searches_device /),
      expect.stringMatching(/^SEARCH uploads USING INDEX uploads_device /),
    ])
  }
  expect(statements).toHaveLength(2)
  database.close()
})

it('prepares no statement anew because of its limit', async () => {
  const statements = await statementsOf(async (store) => {
    await store.insertSearches('ann', [searchOf('s1')], onceOf('k1'))
    await store.listPendingSearches('d1', 20, at(1))
    await store.listPendingUploads('d1', 20, at(1))
    await store.listSearches('ann', {}, { limit: 5 }, at(1))
    await store.listDevices('ann', {}, { limit: 5 }, online)
    await store.expireWork(5, at(1))
  })
  const limited = statements.filter((sql) => sql.includes('limit'))
  expect(limited.length).toBeGreaterThan(5)
  // SQLite plans by the value of a bare parameter there, so every new binding would cost a new preparation.
  for (const sql of limited) expect(sql).not.toMatch(/limit \?(?! \+)/)
})
