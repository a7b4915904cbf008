import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { CloudStore } from '../ports/cloud-store.ts'
import { at, searchOf, withDevices } from '../testing/store-harness.ts'
import type { Connection } from './connection.ts'
import { openConnection, runThrough } from './connection.ts'
import { createStoreOver } from './create-sqlite-store.ts'
import { createSqliteStore } from './index.ts'

let folder = ''
let path = ''
let store: CloudStore
let connection: Connection
/** What was asked of the connection, in order: statements, and what begins and ends transactions. */
let asked: string[] = []
/** Fails the reads of one device, when it is set. */
let failure: { deviceId: string; error: Error } | undefined

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeward-reads-'))
  path = join(folder, 'cloud.db')
  connection = openConnection({ path, busyTimeoutMs: 1 })
  const runStep: Connection['runStep'] = (step) => {
    const parameters = step.parameterLists.flat()
    asked.push(parameters.find((value) => value === 'd1' || value === 'd2') ?? 'other')
    if (failure && parameters.includes(failure.deviceId)) throw failure.error
    return connection.runStep(step)
  }
  store = createStoreOver({
    ...connection,
    exec: (sql) => {
      asked.push(sql)
      connection.exec(sql)
    },
    runStep,
    runPlan: (plan) => runThrough(plan, runStep),
  })
  failure = undefined
  await withDevices(store)
  asked = []
})
afterEach(async () => {
  await store.close()
  await rm(folder, { recursive: true })
})

const poll = (deviceId: string, signal?: AbortSignal) =>
  store.listPendingSearches(deviceId, 20, at(1), signal)
const idsOf = (found: readonly { id: string }[]) => found.map(({ id }) => id)
const failureOf = (code: number) => Object.assign(new Error('refused'), { errcode: code })

it('reads of one turn of the event loop share a transaction, and one alone needs none', async () => {
  await Promise.all([poll('d1'), store.countPending('d2', at(1))])
  expect(asked).toEqual(['begin', 'd1', 'd2', 'commit'])
  asked = []
  await poll('d1')
  expect(asked).toEqual(['d1'])
})

it('a read sees what another process committed before it, whatever was asked for earlier in its turn', async () => {
  const other = createSqliteStore({ path })
  const polls = [poll('d1')]
  const committed = other.insertSearches('ann', [searchOf('s1')], undefined)
  await other.close()
  polls.push(poll('d1'))
  await committed
  expect(idsOf((await Promise.all(polls))[1]!)).toEqual(['s1'])
})

it('a read that fails takes down none of those that were made with it', async () => {
  await store.insertSearches('ann', [searchOf('s1')], undefined)
  failure = { deviceId: 'd2', error: failureOf(11) }
  const [failed, fine] = await Promise.allSettled([poll('d2'), poll('d1')])
  expect(failed).toMatchObject({ status: 'rejected', reason: { code: 'DATABASE_UNAVAILABLE' } })
  expect(fine.status === 'fulfilled' && idsOf(fine.value)).toEqual(['s1'])
  asked = []
  failure = undefined
  await Promise.all([poll('d1'), poll('d2')])
  expect(asked).toEqual(['begin', 'd1', 'd2', 'commit'])
})

it('whoever holds the database is waited for once, however many reads come', async () => {
  failure = { deviceId: 'd1', error: failureOf(5) }
  const outcomes = await Promise.allSettled(Array.from({ length: 9 }, () => poll('d1')))
  expect(outcomes.map(({ status }) => status)).toEqual(Array(9).fill('rejected'))
  expect(asked).toEqual(['begin', 'd1', 'rollback'])
})

it('a read that is given up before its turn is not made', async () => {
  const giveUp = new AbortController()
  const reads = Promise.allSettled([poll('d1', giveUp.signal), poll('d2')])
  giveUp.abort(new Error('gone'))
  const [given, fine] = await reads
  expect(given).toMatchObject({ status: 'rejected', reason: { message: 'gone' } })
  expect(fine.status).toBe('fulfilled')
  expect(asked).toEqual(['d2'])
})

it('reads that wait when the store is closed are still made', async () => {
  await store.insertSearches('ann', [searchOf('s1')], undefined)
  const found = poll('d1')
  await store.close()
  expect(idsOf(await found)).toEqual(['s1'])
})
