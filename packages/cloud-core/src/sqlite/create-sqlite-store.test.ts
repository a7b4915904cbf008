import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { DeviceFilter } from '@homeward/contract/device-cloud'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { at, deviceOf, onceOf, online, searchOf, uploadOf, withDevices } from '../testing/store-harness.ts'
import { race } from '@homeward/kit/testing'
import { cloudStoreConformance } from '../testing/index.ts'
import type { SqliteStatement } from './index.ts'
import { CloudStoreError, createSqliteStore } from './index.ts'

let folder = ''
let path = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeward-sqlite-'))
  path = join(folder, 'data', 'cloud.db')
})
afterEach(() => rm(folder, { recursive: true }))

const codeOf = (error: unknown) => (CloudStoreError.is(error) ? error.code : error)
const thrownBy = (call: () => unknown) => {
  try {
    return call()
  } catch (error) {
    return error
  }
}

for (const { name, run } of cloudStoreConformance) {
  it(name, () =>
    run({
      create: async () => {
        const statements: SqliteStatement[] = []
        const store = createSqliteStore({ path, onStatement: (statement) => statements.push(statement) })
        // A first poll of each kind builds no SQL and opens nothing: the count is the same from the start.
        return { store, statements: () => statements, reopen: async () => createSqliteStore({ path }) }
      },
    }),
  )
}

describe('the file', () => {
  it('is refused when a newer release wrote it, and stays as it was', async () => {
    await createSqliteStore({ path }).close()
    const database = new DatabaseSync(path)
    database.exec("insert into migrations (version, name) values (99, 'later')")
    const error = thrownBy(() => createSqliteStore({ path }))
    expect(codeOf(error)).toBe('DATABASE_NEWER')
    expect(String(error)).toMatch(/version 99.*newer/)
    expect(database.prepare('select max(version) as version from migrations').get()?.['version']).toBe(99)
    database.close()
  })

  it('is refused when it is no database or cannot be made', async () => {
    await writeFile(
      join(folder, 'text'),
      'no database, but long enough to have a header of its own '.repeat(9),
    )
    expect(codeOf(thrownBy(() => createSqliteStore({ path: join(folder, 'text') })))).toBe(
      'DATABASE_UNAVAILABLE',
    )
    expect(codeOf(thrownBy(() => createSqliteStore({ path: join(folder, 'text', 'x.db') })))).toBe(
      'DATABASE_UNAVAILABLE',
    )
  })

  it('is not opened with a time to wait that is none', () => {
    for (const busyTimeoutMs of [Number.NaN, -1, 0.5])
      expect(() => createSqliteStore({ path: ':memory:', busyTimeoutMs })).toThrow(/"busyTimeoutMs" must be/)
  })

  it.each([undefined, null, {}, { path: '' }, { path: 5 }])(
    'names the path when it is missing: %j',
    (given) => {
      const message = 'Opening the database failed: "path" must be a string that is not empty.'
      expect(() => createSqliteStore(given as never)).toThrow(new TypeError(message))
    },
  )

  it('says so when another process holds it for too long', async () => {
    const store = createSqliteStore({ path, busyTimeoutMs: 1 })
    const other = new DatabaseSync(path)
    other.exec('begin immediate')
    const error = await store.insertDevice(deviceOf('d1'), undefined).catch((thrown: unknown) => thrown)
    expect([codeOf(error), CloudStoreError.is(error) && error.retryable]).toEqual([
      'DATABASE_UNAVAILABLE',
      true,
    ])
    other.exec('rollback')
    expect(await store.insertDevice(deviceOf('d1'), undefined)).toEqual({ kind: 'created' })
    other.close()
    await store.close()
  })
})

describe('two stores on one file', () => {
  it('C9: settle each search once between them', async () => {
    const stores = [createSqliteStore({ path }), createSqliteStore({ path })] as const
    await withDevices(stores[0])
    await stores[0].insertSearches('ann', [searchOf('s1')], undefined)
    const outcome = { status: 'completed', results: {}, error: null } as const
    const outcomes = await race((index) =>
      stores[index % 2 === 0 ? 0 : 1].settleSearch({ id: 's1', deviceId: 'd1', outcome, now: at(1) }),
    )
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual([...Array(7).fill('already'), 'settled'])
    await Promise.all(stores.map((store) => store.close()))
  })

  it('C20: create once between them, and see what the other one wrote', async () => {
    const stores = [createSqliteStore({ path }), createSqliteStore({ path })] as const
    await race((index) => stores[index % 2 === 0 ? 0 : 1].insertDevice(deviceOf(`d${index}`), onceOf('k')))
    const lists = await Promise.all(stores.map((store) => store.listDevices('ann', {}, { limit: 9 }, online)))
    expect(lists.map(({ rows }) => rows.length)).toEqual([1, 1])
    await Promise.all(stores.map((store) => store.close()))
  })
})

it('one write that fails does not take down those that were committed with it', async () => {
  const store = createSqliteStore({ path })
  await withDevices(store)
  const [clash, fine, unknown] = await Promise.allSettled([
    store.insertDevice(deviceOf('d1'), undefined),
    store.insertDevice(deviceOf('d2'), undefined),
    store.insertSearches('ann', [searchOf('s1', { deviceId: 'nowhere' })], undefined),
  ])
  expect(clash.status === 'rejected' && codeOf(clash.reason)).toBe('CONFLICT')
  expect(fine).toEqual({ status: 'fulfilled', value: { kind: 'created' } })
  expect(unknown).toEqual({ status: 'fulfilled', value: { kind: 'unknown_device' } })
  await store.close()
})

it('C20: forgets creations that expired, so that they take bounded room', async () => {
  const store = createSqliteStore({ path })
  for (let second = 0; second < 200; second += 1) {
    const once = onceOf(`k${second}`, { createdAt: at(second), expiresAt: at(second + 10) })
    await store.insertDevice(deviceOf(`d${second}`), once)
  }
  await store.close()
  const database = new DatabaseSync(path)
  expect(database.prepare('select count(*) as count from creations').get()?.['count']).toBeLessThan(12)
  database.close()
})

const deviceFilters: readonly DeviceFilter[] = [
  {},
  { labels: ['a'] },
  { labels: ['a', 'b'], text: 'x' },
  { type: 't', status: 'online' },
  { platform: 'p', status: 'offline' },
]

it('reads every list off an index, without sorting or scanning', async () => {
  const seen = new Set<string>()
  const store = createSqliteStore({
    path,
    onStatement: ({ kind, sql }) => void (kind === 'read' && seen.add(sql)),
  })
  const after = { createdAt: at(9), id: 'x' }
  await withDevices(store)
  await store.insertUploads('ann', [uploadOf('u1')], undefined)
  await store.insertSearches('ann', [searchOf('s1')], undefined)
  seen.clear()
  for (const page of [{ limit: 5 }, { limit: 5, after }]) {
    for (const filter of deviceFilters) await store.listDevices('ann', filter, page, online)
    for (const by of [{}, { deviceId: 'd1' }]) {
      for (const status of ['pending', 'completed', 'failed'] as const) {
        await store.listSearches('ann', { ...by, status }, page, at(1))
        await store.listUploads('ann', { ...by, status }, page, at(1))
      }
    }
  }
  await store.listPendingSearches('d1', 20, at(1))
  await store.listPendingUploads('d1', 20, at(1))
  await store.countPending('d1', at(1))
  await store.findDeviceByKeyHash('hash-d1', at(1))
  await store.close()

  const database = new DatabaseSync(path)
  for (const sql of seen) {
    const details = database
      .prepare(`explain query plan ${sql}`)
      .all()
      .map((step) => String(step['detail']))
    // Only pages are scanned and sorted: `parts` and `newest` hold a page each.
    expect(details.filter((detail) => /^SCAN (devices|searches|uploads)/.test(detail))).toEqual([])
    if (!sql.includes('union') && !sql.includes('newest')) {
      expect(details.filter((detail) => detail.includes('TEMP B-TREE'))).toEqual([])
    }
    if (sql.includes("'pending'")) expect(details.join()).toMatch(/_pending_/)
  }
  expect(seen.size).toBeGreaterThan(20)
  database.close()
})
