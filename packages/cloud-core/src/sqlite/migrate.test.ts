import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createSqliteBuilder, migrate, openConnection } from '@homeward/kit/sqlite'
import type { CloudTables } from '../sql/schema.ts'
import { cloudMigrations } from '../sql/migrations.ts'
import { at, auditOf, keyOf } from '../testing/store-harness.ts'
import { createSqliteStore } from './index.ts'

const builder = createSqliteBuilder<CloudTables>()
const insert = `insert into devices (id, owner, name, type, platform, metadata, created_at, key_hash, key_hint)
  values ('d1', 'ann', 'n', 't', 'p', '{}', 'c', 'h', 'i')`

it('numbers its steps without a gap', () => {
  expect(cloudMigrations.map(({ version }) => version)).toEqual(cloudMigrations.map((_, index) => index + 1))
})

it('C24: gives a database of the first release its audit, and keeps what it holds', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-migrate-'))
  const path = join(folder, 'cloud.db')
  const old = openConnection({ path, busyTimeoutMs: 0 })
  migrate(old, builder, cloudMigrations.slice(0, 1))
  old.exec(insert)
  old.close()
  const store = createSqliteStore({ path })
  expect((await store.findDevice('ann', 'd1'))?.name).toBe('n')
  await store.rotateKey(
    { owner: 'ann', deviceId: 'd1', key: keyOf('k2'), previousUntil: at(9), now: at(1) },
    [auditOf('e1')],
  )
  expect((await store.listAudit('ann', {}, { limit: 9 }, at(1))).rows.map(({ id }) => id)).toEqual(['e1'])
  await store.close()
  await rm(folder, { recursive: true })
})
