import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Connection, runPlan } from './connection.ts'
import { openConnection } from './node-connection.ts'
import { createGroupReader, type GroupReader } from './group-reader.ts'
import { openThings } from './testing/open-things.ts'

let folder = ''
let path = ''
let connection: Connection
let plans: ReturnType<typeof openThings>['plans']
let reader: GroupReader
/** What was asked of the connection, in order: ids that were looked for, and what begins and ends transactions. */
let asked: unknown[] = []
/** Fails the reads of one thing, when it is set. */
let failure: { id: string; error: Error } | undefined

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeward-reads-'))
  path = join(folder, 'things.db')
  ;({ connection, plans } = openThings({ path }))
  asked = []
  failure = undefined
  for (const id of ['t1', 't2']) runPlan(connection, plans.insert(id, `note of ${id}`))
  reader = createGroupReader({
    ...connection,
    exec: (sql) => {
      asked.push(sql)
      connection.exec(sql)
    },
    runStep: (step) => {
      const [id] = step.parameterLists.flat()
      asked.push(id)
      if (failure !== undefined && failure.id === id) throw failure.error
      return connection.runStep(step)
    },
  })
})
afterEach(async () => {
  connection.close()
  await rm(folder, { recursive: true })
})

const read = (id: string, signal?: AbortSignal) => reader.read(() => plans.find(id), signal)
const failureOf = (code: number) => Object.assign(new Error('refused'), { errcode: code })

it('reads of one turn of the event loop share a transaction, and one alone needs none', async () => {
  expect(await Promise.all([read('t1'), read('t2')])).toEqual(['note of t1', 'note of t2'])
  expect(asked).toEqual(['begin', 't1', 't2', 'commit'])
  asked = []
  await read('t1')
  expect(asked).toEqual(['t1'])
})

it('a read sees what another process committed before it, whatever was asked for earlier in its turn', async () => {
  const other = openConnection({ path, busyTimeoutMs: 1 })
  const reads = [read('t1')]
  runPlan(other, plans.update('t1', 'newer'))
  reads.push(read('t1'))
  expect((await Promise.all(reads))[1]).toBe('newer')
  other.close()
})

it('a read that fails takes down none of those that were made with it', async () => {
  failure = { id: 't2', error: failureOf(11) }
  const [failed, fine] = await Promise.allSettled([read('t2'), read('t1')])
  expect(failed).toMatchObject({ status: 'rejected', reason: { kind: 'unavailable' } })
  expect(fine).toEqual({ status: 'fulfilled', value: 'note of t1' })
  asked = []
  failure = undefined
  await Promise.all([read('t1'), read('t2')])
  expect(asked).toEqual(['begin', 't1', 't2', 'commit'])
})

it('whoever holds the database is waited for once, however many reads come', async () => {
  failure = { id: 't1', error: failureOf(5) }
  const outcomes = await Promise.allSettled(Array.from({ length: 9 }, () => read('t1')))
  expect(outcomes.map(({ status }) => status)).toEqual(Array(9).fill('rejected'))
  expect(asked).toEqual(['begin', 't1', 'rollback'])
})

it('a read that is given up before its turn is not made', async () => {
  const giveUp = new AbortController()
  const reads = Promise.allSettled([read('t1', giveUp.signal), read('t2')])
  giveUp.abort(new Error('gone'))
  const [given, fine] = await reads
  expect(given).toMatchObject({ status: 'rejected', reason: { message: 'gone' } })
  expect(fine.status).toBe('fulfilled')
  expect(asked).toEqual(['t2'])
})

it('reads that wait are made when it is flushed', async () => {
  const found = read('t1')
  reader.flush()
  connection.close()
  expect(await found).toBe('note of t1')
})
