import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { copyBeforeUpgrade } from './before-upgrade.ts'

let home = ''
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'homeward-upgrade-'))
})
afterEach(() => rm(home, { recursive: true }))

/** A database as a store leaves it: rows in the log, and the file still open. */
function openDatabase(file: string, version: number): DatabaseSync {
  const database = new DatabaseSync(join(home, file))
  database.exec(`pragma journal_mode = wal;
    create table migrations (version integer primary key, name text not null);
    insert into migrations values (${version}, 'x');
    create table things (id text);
    insert into things values ('committed')`)
  return database
}

const known = { 'cloud.db': 3, 'agents.db': 10 }

it('copies files of an older schema with all committed rows, and keeps the copies until a later start succeeds', async () => {
  using cloud = openDatabase('cloud.db', 2)
  using agents = openDatabase('agents.db', 10)
  const first = await copyBeforeUpgrade(home, known)
  expect(first.made).toEqual([join(home, 'cloud.db.before-2')])
  using copy = new DatabaseSync(join(home, 'cloud.db.before-2'), { readOnly: true })
  expect(copy.prepare('select id from things').all()).toEqual([{ id: 'committed' }])

  await first.removeEarlier()
  expect(await readdir(home)).toContain('cloud.db.before-2')
  cloud.exec("insert into migrations values (3, 'y')")
  const second = await copyBeforeUpgrade(home, known)
  expect([second.made, await readdir(home)]).toEqual([[], expect.arrayContaining(['cloud.db.before-2'])])
  await second.removeEarlier()
  expect(await readdir(home)).not.toContain('cloud.db.before-2')
  expect(agents.isOpen).toBe(true)
})

it('replaces the copy of a start that failed', async () => {
  using cloud = openDatabase('cloud.db', 2)
  await copyBeforeUpgrade(home, known)
  cloud.exec("insert into things values ('later')")
  await copyBeforeUpgrade(home, known)
  using copy = new DatabaseSync(join(home, 'cloud.db.before-2'), { readOnly: true })
  expect(copy.prepare('select id from things').all()).toHaveLength(2)
})

it('rejects a newer schema before it copies anything', async () => {
  using cloud = openDatabase('cloud.db', 2)
  using agents = openDatabase('agents.db', 11)
  await expect(copyBeforeUpgrade(home, known)).rejects.toThrow(
    `${join(home, 'agents.db')} has schema version 11, but this release supports at most 10. Start the release that wrote it, or a newer release.`,
  )
  expect((await readdir(home)).filter((name) => name.includes('before'))).toEqual([])
  expect([cloud.isOpen, agents.isOpen]).toEqual([true, true])
})
