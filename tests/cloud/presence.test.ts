import { describe, expect, it } from 'vitest'
import { createTestCloud, storeKinds, type TestCloud } from './test-cloud.ts'

const minuteMs = 60_000
const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1) + minutes * minuteMs).toISOString()
const metadata = { os: 'Linux', version: '6.1', hardware: 'x86' }

const open = async (test: TestCloud) => {
  const { id, headers } = await test.register()
  return {
    id,
    beatAfter: async (minutes: number) => {
      test.advance(minutes * minuteMs)
      await test.send('POST', '/api/devices/heartbeat', { body: { metadata }, headers })
    },
    read: async (query = '') => (await test.send('GET', `/api/devices/${id}/presence${query}`)).body,
  }
}

describe.each(storeKinds)('presence history over %s', (kind) => {
  it('C3: a device that was never seen has no history', async () => {
    await using test = await createTestCloud(kind)
    const { read } = await open(test)
    const range = { from: at(-7 * 24 * 60), to: at(0) }
    expect(await read()).toEqual({ ...range, firstSeenAt: null, knownSince: null, gaps: [] })
    expect((await test.send('GET', '/api/devices/none/presence')).status).toBe(404)
  })

  it('C3: a gap is from the last heartbeat before it to the first one after it', async () => {
    await using test = await createTestCloud(kind, { flush: 'sync' })
    const { beatAfter, read } = await open(test)
    for (const minutes of [0, 2, 3, 1, 60, 1]) await beatAfter(minutes)
    const gaps = [
      { from: at(2), to: at(5) },
      { from: at(6), to: at(66) },
    ]
    expect(await read()).toMatchObject({ to: at(67), firstSeenAt: at(0), knownSince: at(0), gaps })
    test.advance(3 * minuteMs)
    const lasting = { from: at(67), to: null }
    expect((await read())['gaps']).toEqual([...gaps, lasting])
    expect((await read(`?from=${at(5)}`))['gaps']).toEqual([...gaps.slice(1), lasting])
    expect((await read(`?from=${at(4)}&to=${at(6)}`))['gaps']).toEqual(gaps.slice(0, 1))
    expect(await read(`?from=${at(9)}&to=${at(9)}`)).toMatchObject({ message: 'from: must be before to' })
    expect(await read('?since=x')).toMatchObject({ error: 'Validation error' })
  })
})

it('C3: gives a gap whose end is not stored yet, once', async () => {
  const timers = { setTimeout: () => undefined, clearTimeout: () => {} } // no heartbeat is written
  await using test = await createTestCloud('memory', { timers })
  const { id, beatAfter, read } = await open(test)
  await test.store.writeHeartbeats([{ deviceId: id, lastSeenAt: at(0) }], at(0))
  await beatAfter(10)
  const gap = { from: at(0), to: at(10) }
  expect((await read())['gaps']).toEqual([gap])
  const returned = { at: at(10), silentBefore: at(7) }
  await test.store.writeHeartbeats([{ deviceId: id, lastSeenAt: at(10), returned }], at(10))
  expect((await read())['gaps']).toEqual([gap])
})

it('C3: says since when gaps are known, where older ones were removed', async () => {
  await using test = await createTestCloud('memory', { flush: 'sync' })
  const { beatAfter, read } = await open(test)
  for (let count = 0; count < 102; count += 1) await beatAfter(3)
  // The gap from minute 3 to minute 6 made room.
  expect(await read()).toMatchObject({ firstSeenAt: at(3), knownSince: at(6) })
  test.advance(100 * 24 * 60 * minuteMs)
  const { to, knownSince, gaps } = await read()
  expect(knownSince).toBe(new Date(Date.parse(String(to)) - 90 * 24 * 60 * minuteMs).toISOString())
  expect(gaps).toEqual([{ from: at(102 * 3), to: null }])
})
