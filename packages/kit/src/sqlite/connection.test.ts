import { mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { SqlFailure } from '../sql/sql-failure.ts'
import { runPlan } from './connection.ts'
import { openConnection } from './node-connection.ts'
import { createGroupWriter } from './group-writer.ts'
import { openThings } from './testing/open-things.ts'
import { toSqliteFailure } from './to-sqlite-failure.ts'

let folder = ''
let path = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeward-connection-'))
  path = join(folder, 'data', 'things.db')
})
afterEach(() => rm(folder, { recursive: true }))

const failureOf = (call: () => unknown) => {
  try {
    return call()
  } catch (error) {
    return SqlFailure.is(error) ? [error.kind, error.retryable, error.message] : error
  }
}

it('makes the file with its folder, for this user alone', async () => {
  const { connection, plans } = openThings({ path })
  runPlan(connection, plans.insert('t1'))
  for (const name of [path, `${path}-wal`, `${path}-shm`]) expect((await stat(name)).mode & 0o777).toBe(0o600)
  expect((await stat(join(folder, 'data'))).mode & 0o777).toBe(0o700)
  connection.close()
})

it('shrinks the log that one large write has made long', async () => {
  const { connection, plans } = openThings({ path, logPages: 1000 })
  const writer = createGroupWriter(connection)
  const logBytes = async () => (await stat(`${path}-wal`)).size
  const note = 'x'.repeat(1_000_000)
  await Promise.all(Array.from({ length: 20 }, (_, n) => writer.write(() => plans.insert(`t${n}`, note))))
  expect(await logBytes()).toBeGreaterThan(20_000_000)
  await writer.write(() => plans.insert('small'))
  expect(await logBytes()).toBe(8_192_000)
  connection.close()
})

it('keeps any text and gives it back', () => {
  const { connection, plans } = openThings()
  const odd = 'a\u0000b \ud83d \u0010'
  runPlan(connection, plans.insert('t1', odd))
  expect(runPlan(connection, plans.find('t1'))).toBe(odd)
  connection.close()
})

it('says what to do when the file is not a database or cannot be made', async () => {
  const text = join(folder, 'text')
  await writeFile(text, 'no database, but long enough to have a header of its own '.repeat(9))
  expect(failureOf(() => openConnection({ path: text, busyTimeoutMs: 0 }))).toEqual([
    'unavailable',
    false,
    'Opening the database failed: the file is not a database. Check the path.',
  ])
  expect(failureOf(() => openConnection({ path: join(text, 'x.db'), busyTimeoutMs: 0 }))).toEqual([
    'unavailable',
    false,
    'Opening the database failed: the operating system rejected the path. Check the path, its mode and owner.',
  ])
})

it('says that the file is damaged when a page of it is', async () => {
  const { connection, plans } = openThings({ path })
  for (let n = 0; n < 50; n += 1) runPlan(connection, plans.insert(`t${n}`, 'x'.repeat(3000)))
  connection.close()
  const { size } = await stat(path)
  const file = await open(path, 'r+')
  await file.write(Buffer.alloc(size - 4096, 0xab), 0, size - 4096, 4096)
  await file.close()
  const failure = failureOf(() => {
    try {
      const damaged = openThings({ path })
      runPlan(damaged.connection, damaged.plans.list())
    } catch (error) {
      throw toSqliteFailure(error, 'Reading the database')
    }
  })
  expect(failure).toEqual([
    'unavailable',
    false,
    expect.stringMatching(/the database is damaged\. Restore a backup/),
  ])
})

it('counts what a statement changed, and says which row was inserted last', () => {
  const { connection, plans } = openThings()
  for (const id of ['t1', 't2']) runPlan(connection, plans.insert(id))
  const change = { kind: 'write', counts: true, parameterLists: [[]] } as const
  expect(connection.runStep({ ...change, sql: "update things set note = 'x'" })[0]).toBe(2)
  const insert = { ...change, sql: 'insert into parts (rowid, id, thing_id) values (77, ?, ?)' }
  expect(connection.runStep({ ...insert, parameterLists: [['p1', 't1']] })).toEqual([1, 77])
  connection.close()
})

it('passes on what no database failed with', () => {
  const error = new Error('a mistake in a plan')
  expect(toSqliteFailure(error, 'Reading')).toBe(error)
  expect(toSqliteFailure('text', 'Reading')).toBe('text')
})

it('is sound for another reader of the file', () => {
  const { connection, plans } = openThings({ path })
  runPlan(connection, plans.insert('t1', 'note'))
  const other = new DatabaseSync(path)
  expect(other.prepare('select id, note from things').all()).toEqual([{ id: 't1', note: 'note' }])
  other.close()
  connection.close()
})
