import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { CloudStore } from '../ports/cloud-store.ts'
import { at, searchOf, uploadOf, withDevices } from '../testing/store-harness.ts'
import { createSqliteStore } from './index.ts'

let folder = ''
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'homeward-sqlite-'))))
afterEach(() => rm(folder, { recursive: true }))

const inserts = {
  searches: (store: CloudStore, ids: readonly string[], times?: object) =>
    store.insertSearches(
      'ann',
      ids.map((id) => searchOf(id, times)),
      undefined,
    ),
  uploads: (store: CloudStore, ids: readonly string[], times?: object) =>
    store.insertUploads(
      'ann',
      ids.map((id) => uploadOf(id, times)),
      undefined,
    ),
}

it.each(['searches', 'uploads'] as const)(
  'C10: of %s that expired, each insertion writes down sixteen more than it adds',
  async (table) => {
    const path = join(folder, 'cloud.db')
    const store = createSqliteStore({ path })
    await withDevices(store)
    const insert = inserts[table]
    await insert(
      store,
      Array.from({ length: 40 }, (_, index) => `old${index}`),
    )
    const file = new DatabaseSync(path)
    const count = file.prepare(
      `select count(*) as count from ${table} where status = 'pending' and id like ?`,
    )
    const left = (ids: string) => count.get(ids)?.['count']

    await insert(store, ['early'], { createdAt: at(99), expiresAt: at(900) })
    expect(left('old%')).toBe(40)
    await insert(store, ['new1', 'new2'], { createdAt: at(100), expiresAt: at(900) })
    expect(left('old%')).toBe(22)
    await insert(store, ['new3'], { createdAt: at(101), expiresAt: at(900) })
    expect(left('old%')).toBe(5)
    await insert(store, ['new4'], { createdAt: at(102), expiresAt: at(900) })
    expect([left('old%'), left('%')]).toEqual([0, 5])
    file.close()
    await store.close()
  },
)
