import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openConnection } from '@homeward/kit/sqlite/node'
import { createSqliteStore } from './index.ts'

it('refuses a database of an older development version, and leaves it as it is', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-migrate-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'cloud.db')
  const old = openConnection({ path, busyTimeoutMs: 0 })
  old.exec('create table migrations (version integer primary key, name text not null)')
  old.exec("insert into migrations (version, name) values (1, 'devices, searches, uploads, creations')")
  old.close()

  const opening = () => createSqliteStore({ path })
  expect(opening).toThrow(/this release needs/)
  expect(opening).toThrow(expect.objectContaining({ code: 'DATABASE_OLDER', retryable: false }))
})
