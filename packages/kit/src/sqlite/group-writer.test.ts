import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Undo } from '../sql/plan.ts'
import { SqlFailure } from '../sql/sql-failure.ts'
import { runPlan } from './connection.ts'
import { openConnection } from './node-connection.ts'
import { createGroupWriter } from './group-writer.ts'
import { openThings } from './testing/open-things.ts'

let folder = ''
let path = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeward-writer-'))
  path = join(folder, 'things.db')
})
afterEach(() => rm(folder, { recursive: true }))

const reasonsOf = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
  outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))

it('says that the disk is full, keeps what was there, and goes on when there is room', async () => {
  const { connection, plans } = openThings({ path })
  const writer = createGroupWriter(connection)
  // SQLite's own limit gives the very error of a full disk.
  connection.exec('pragma max_page_count = 60')
  const note = 'x'.repeat(20_000)
  const outcomes = await Promise.allSettled(
    Array.from({ length: 40 }, (_, n) => writer.write(() => plans.insert(`t${n}`, note))),
  )
  const refused = reasonsOf(outcomes)
  const kept = runPlan(connection, plans.list())
  expect(kept.length).toBeGreaterThan(0)
  expect(refused).toHaveLength(40 - kept.length)
  expect(refused[0]).toMatchObject({ kind: 'unavailable', retryable: true })
  expect(String(refused[0])).toMatch(/disk is full\. Free some space/)
  connection.exec('pragma max_page_count = 1000000')
  expect(await writer.write(() => plans.insert('last'))).toBe('last')
  connection.close()
})

it('commits what waits when it is flushed, and refuses what was given up meanwhile', async () => {
  const { connection, plans } = openThings()
  const writer = createGroupWriter(connection)
  const giveUp = new AbortController()
  const first = writer.write(() => plans.insert('t1'))
  const second = writer.write(() => plans.insert('t2'), giveUp.signal)
  expect(writer.isAwaited()).toBe(true)
  giveUp.abort(new Error('gave up'))
  writer.flush()
  expect(writer.isAwaited()).toBe(false)
  expect(await first).toBe('t1')
  await expect(second).rejects.toThrow('gave up')
  expect(runPlan(connection, plans.list())).toEqual(['t1'])
  connection.close()
})

it('waits once for another process that holds the database, however many writes come meanwhile', async () => {
  const { connection, plans } = openThings({ path })
  let begun = 0
  const exec = (sql: string) => {
    if (sql === 'begin immediate') begun += 1
    connection.exec(sql)
  }
  const writer = createGroupWriter({ ...connection, exec })
  const other = openConnection({ path, busyTimeoutMs: 1 })
  other.exec('begin immediate')
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, (_, n) => writer.write(() => plans.insert(`t${n}`))),
  )
  const kinds = reasonsOf(outcomes).map((error) => SqlFailure.is(error) && error.kind)
  expect(kinds).toEqual(Array(20).fill('unavailable'))
  expect(begun).toBe(1)
  other.exec('rollback')
  expect(await writer.write(() => plans.insert('t1'))).toBe('t1')
  other.close()
  connection.close()
})

it('does not let one write that fails take down those that were committed with it', async () => {
  const { connection, plans } = openThings()
  const writer = createGroupWriter(connection)
  await writer.write(() => plans.insert('t1'))
  const [clash, fine] = await Promise.allSettled([
    writer.write(() => plans.insert('t1')),
    writer.write(() => plans.insert('t2')),
  ])
  expect(reasonsOf([clash])).toMatchObject([{ kind: 'conflict', retryable: false }])
  expect(fine).toEqual({ status: 'fulfilled', value: 't2' })
  connection.close()
})

it('does not take a row that is referred to and missing for one that is there already', async () => {
  const { connection, plans } = openThings()
  const writer = createGroupWriter(connection)
  const failed = writer.write(() => plans.insertPart('p1', 'nowhere'))
  await expect(failed).rejects.toMatchObject({ kind: 'unavailable', retryable: false })
  connection.close()
})

it('undoes the plan that asks for it, gives its result, and keeps those that came with it', async () => {
  const { connection, plans } = openThings()
  const writer = createGroupWriter(connection)
  const undone = writer.write(function* () {
    yield* plans.insert('t1')
    throw new Undo('changed its mind')
  })
  expect(await Promise.all([undone, writer.write(() => plans.insert('t2'))])).toEqual([
    'changed its mind',
    't2',
  ])
  expect(runPlan(connection, plans.list())).toEqual(['t2'])
  connection.close()
})

it('writes once what is committed, also when the one who hears of it fails', async () => {
  const { connection, plans } = openThings()
  const committed = vi.fn(() => {
    throw new Error('the listener failed')
  })
  const rolledBack = vi.fn()
  const writer = createGroupWriter(connection, { committed, rolledBack })
  const written = ['t1', 't2'].map((id) => writer.write(() => plans.insert(id)))
  expect(() => writer.flush()).toThrow('the listener failed')
  expect(await Promise.all(written)).toEqual(['t1', 't2'])
  expect(committed).toHaveBeenCalledExactlyOnceWith(
    [
      { topic: 'thing', id: 't1' },
      { topic: 'thing', id: 't2' },
    ],
    2,
  )
  expect(rolledBack).not.toHaveBeenCalled()
  expect(runPlan(connection, plans.list())).toHaveLength(2)
  connection.close()
})
