import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { emptySchema } from '../../../../tests/postgres/empty-schema.ts'
import { createTestDatabase } from '../../../../tests/postgres/test-database.ts'
import type { CloudStore } from '../ports/cloud-store.ts'
import { createPostgresStore } from '../postgres/index.ts'
import { createSqliteStore } from '../sqlite/index.ts'
import { at, deviceOf, groupOf, searchOf, withDevices } from '../testing/store-harness.ts'

const groups = ['g1', 'g2', 'g3']
const devices = ['d1', 'd2', 'd3', 'd4']
const idOf = (group: string, device: string) => `${group}-${device}`

/** Groups whose counts differ from their rows, and what waits in only one of both tables. */
const faults = (schema: string) => [
  `select group_id from (
    select counts.group_id, counts.searches, counts.pending, counts.failed, counts.files,
      (select count(*) from ${schema}searches as s where s.group_id = counts.group_id) as all_rows,
      (select count(*) from ${schema}searches as s where s.group_id = counts.group_id and status = 'pending') as pending_rows,
      (select count(*) from ${schema}searches as s where s.group_id = counts.group_id and status = 'failed') as failed_rows,
      (select coalesce(sum(files_found), 0) from ${schema}searches as s where s.group_id = counts.group_id) as found
    from ${schema}group_counts as counts
  ) as both_counts
  where searches <> all_rows or pending <> pending_rows or failed <> failed_rows or files <> found`,
  `select id from ${schema}searches where status = 'pending' and id not in (select id from ${schema}waiting_searches)`,
  `select id from ${schema}waiting_searches where id not in (select id from ${schema}searches where status = 'pending')`,
  `select id from ${schema}work_groups where kind = 'search' and id not in (select group_id from ${schema}group_counts)`,
]

const act = fc.record({
  kind: fc.constantFrom('report', 'report', 'report', 'expire', 'end', 'remove', 'device', 'prune', 'extend'),
  group: fc.constantFrom(...groups),
  device: fc.constantFrom(...devices),
  isFailed: fc.boolean(),
  files: fc.nat(3),
})
type Act = typeof act extends fc.Arbitrary<infer Value> ? Value : never

function run(store: CloudStore, { kind, group, device, isFailed, files }: Act): Promise<unknown> {
  const id = idOf(group, device)
  const ended = isFailed
    ? ({ status: 'failed', results: null, error: 'x' } as const)
    : ({ status: 'completed', results: {}, filesFound: files, error: null } as const)
  const report = { id, deviceId: device, outcome: ended, now: at(1) }
  switch (kind) {
    case 'report':
      return Promise.all([store.settleSearch(report), store.settleSearch(report)])
    case 'expire':
      return store.expireWork(2, at(files === 0 ? 200 : 1))
    case 'end':
      return store.endSearch('ann', id, at(2))
    case 'remove':
      return store.removeGroup('ann', group).then(() => store.endGroupSearches(group, 1 + files, at(2)))
    case 'device':
      return store.deleteDevice('ann', device)
    case 'prune':
      return store.pruneSearches(at(files), 2)
    case 'extend':
    default: {
      const lease = { leaseId: `l${files}`, leaseUntil: at(9) }
      const work = [{ id: `${id}-more`, deviceId: device }]
      return store
        .claimGroup({ ...lease, now: at(1) })
        .then(() => store.extendGroup({ id: group, ...lease, now: at(1), work, rest: null }))
    }
  }
}

/** Acts of two processes, some at the same time, on three groups of four devices. */
async function play(stores: readonly [CloudStore, CloudStore], rounds: readonly (readonly Act[])[]) {
  await withDevices(
    stores[0],
    devices.map((id) => deviceOf(id)),
  )
  for (const group of groups) {
    const searches = devices.map((deviceId) => searchOf(idOf(group, deviceId), { deviceId, groupId: group }))
    const rest = { unmade: 1, after: null }
    await stores[0].insertSearches('ann', searches, undefined, [], groupOf(group, { rest }))
  }
  for (const acts of rounds)
    await Promise.all(acts.map((each, place) => run(stores[place % 2 === 0 ? 0 : 1], each)))
}

const rounds = fc.array(fc.array(act, { minLength: 1, maxLength: 6 }), { maxLength: 6 })

it('C32: counts of groups are those of their rows, whatever two processes do on SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-counts-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  let number = 0
  await fc.assert(
    fc.asyncProperty(rounds, async (acts) => {
      const path = join(folder, `${(number += 1)}.db`)
      const stores = [createSqliteStore({ path }), createSqliteStore({ path })] as const
      await play(stores, acts)
      await Promise.all(stores.map((store) => store.close()))
      using database = new DatabaseSync(path)
      expect(faults('').map((sql) => database.prepare(sql).all())).toEqual([[], [], [], []])
    }),
    { numRuns: 15 },
  )
})

it('C32: counts of groups are those of their rows, whatever two processes do on Postgres', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const { connectionString } = database
  const schema = 'counts'
  const open = () => createPostgresStore({ connectionString, schema })
  const stores = [await open(), await open()] as const
  await fc.assert(
    fc.asyncProperty(rounds, async (acts) => {
      await play(stores, acts)
      const found = await Promise.all(faults(`${schema}.`).map((sql) => database.query(sql)))
      expect(found).toEqual([[], [], [], []])
      await emptySchema(database, schema)
    }),
    { numRuns: 25 },
  )
  await Promise.all(stores.map((store) => store.close()))
})
