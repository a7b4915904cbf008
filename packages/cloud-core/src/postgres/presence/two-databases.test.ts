// When devices were last seen, in another database than the rest: docs/guides/scaling.md.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { TestDatabase } from '../../../../../tests/postgres/test-database.ts'
import { createTestDatabase } from '../../../../../tests/postgres/test-database.ts'
import { at, deviceOf, online, searchOf, withDevices } from '../../testing/store-harness.ts'
import { cloudStoreConformance } from '../../testing/index.ts'
import { createPostgresStore, type PostgresStatement, type PostgresStoreOptions } from '../index.ts'
import { emptySchema } from '../testing/empty-schema.ts'

const schema = 'apart'
let database: TestDatabase
let presenceDatabase: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
  presenceDatabase = await createTestDatabase()
})
afterAll(() => Promise.all([database.drop(), presenceDatabase.drop()]))

const open = (options: PostgresStoreOptions = {}) => {
  const { connectionString } = database
  const presence = { connectionString: presenceDatabase.connectionString }
  return createPostgresStore({ connectionString, schema, presence, ...options })
}
const openFor = async (options: PostgresStoreOptions = {}) => {
  const store = await open(options)
  onTestFinished(() => store.close())
  return store
}
const empty = async () => {
  await emptySchema(database, schema)
  await emptySchema(presenceDatabase, `${schema}_presence`)
}

describe('the store conformance kit, with presence in another database', () => {
  for (const { name, run } of cloudStoreConformance) {
    it(name, () =>
      run({
        create: async () => {
          await empty()
          const statements: PostgresStatement[] = []
          const onStatement = (statement: PostgresStatement) => void statements.push(statement)
          return { store: await open({ onStatement }), statements: () => statements, reopen: open }
        },
      }),
    )
  }
})

const two = [deviceOf('d1'), deviceOf('d2', { createdAt: at(1) })]
const seen = (deviceId: string, second: number) => ({ deviceId, lastSeenAt: at(second) })

it('C3: writes no last-seen time to the first database', async () => {
  await empty()
  const store = await openFor()
  await withDevices(store, two)
  await store.writeHeartbeats([seen('d1', 5), seen('gone', 5)], at(5))
  expect(await database.query(`select * from ${schema}.presence`)).toEqual([])
  const rows = await presenceDatabase.query(`select device_id from ${schema}_presence.presence`)
  expect(rows).toEqual([{ device_id: 'd1' }])
})

it('removes the times of devices that were deleted when a process ended between the two databases', async () => {
  await empty()
  const store = await openFor()
  await withDevices(store, two)
  await store.writeHeartbeats([seen('d1', 5), seen('d2', 5)], at(5))
  // the first half of a deletion
  await database.query(`delete from ${schema}.devices where id = 'd1'`)
  expect(await store.claimOffline({ deviceIds: ['d1'], seenBefore: at(9), now: at(9) })).toEqual([])
  expect((await store.listPresence('', 9)).map(({ deviceId, owner }) => [deviceId, owner])).toEqual([
    ['d1', null],
    ['d2', 'ann'],
  ])
  expect(await store.removePresence(['d1', 'd2'])).toBe(1)
  expect((await store.listPresence('', 9)).map(({ deviceId }) => deviceId)).toEqual(['d2'])
})

it('keeps the times from before as the last known ones', async () => {
  await empty()
  const { connectionString } = database
  const before = await createPostgresStore({ connectionString, schema })
  await withDevices(before)
  await before.writeHeartbeats([seen('d1', 5)], at(5))
  await before.close()
  const store = await openFor()
  expect((await store.findDevice('ann', 'd1'))?.lastSeenAt).toBe(at(5))
  await store.writeHeartbeats([seen('d1', 6)], at(6))
  expect((await store.findDevice('ann', 'd1'))?.lastSeenAt).toBe(at(6))
})

it('lets devices in and takes their reports while the presence database is away; what needs it fails and returns with it', async () => {
  await empty()
  const apart = await createTestDatabase()
  onTestFinished(() => apart.drop())
  const store = await openFor({ presence: { connectionString: apart.connectionString } })
  await withDevices(store, two)
  await store.writeHeartbeats([seen('d1', 5)], at(5))
  const name = new URL(apart.connectionString).pathname.slice(1)
  const switchTo = (allowed: boolean) => database.query(`alter database ${name} allow_connections ${allowed}`)
  await switchTo(false)
  await database.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])

  expect((await store.findDeviceByKeyHash('hash-d1', at(6)))?.device.id).toBe('d1')
  await store.insertSearches('ann', [searchOf('s1')], undefined)
  const outcome = { status: 'completed', results: {}, error: null } as const
  expect(await store.settleSearch({ id: 's1', deviceId: 'd1', outcome, now: at(6) })).toMatchObject({
    kind: 'settled',
  })
  const away = { code: 'DATABASE_UNAVAILABLE' }
  await expect(store.writeHeartbeats([seen('d1', 6)], at(6))).rejects.toMatchObject(away)
  await expect(store.findDevice('ann', 'd1')).rejects.toMatchObject(away)
  await expect(store.listDevices('ann', {}, { limit: 9 }, online)).rejects.toMatchObject(away)
  await expect(store.updateDevice('ann', 'd1', { name: 'new' })).rejects.toMatchObject(away)
  expect(await store.deleteDevice('ann', 'd2')).toBeDefined()

  await switchTo(true)
  await store.writeHeartbeats([seen('d1', 7)], at(7))
  expect(await store.findDevice('ann', 'd1')).toMatchObject({ name: 'Device d1', lastSeenAt: at(7) })
})
