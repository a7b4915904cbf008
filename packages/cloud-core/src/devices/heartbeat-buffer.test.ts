import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { StoredDevice, HeartbeatWrite } from '../ports/device-store.ts'
import { at, deviceOf } from '../testing/store-harness.ts'
import { createHeartbeatBuffer } from './heartbeat-buffer.ts'
import { mergeMetadata } from './merge-metadata.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

function openBuffer(flush: 'interval' | 'sync' = 'interval') {
  const batches: (readonly HeartbeatWrite[])[] = []
  const errors: unknown[] = []
  const state = { isDown: false, answers: Promise.resolve(), nowMs: Date.parse(at(0)) }
  const store = {
    async writeHeartbeats(batch: readonly HeartbeatWrite[]) {
      batches.push(batch)
      await state.answers
      if (state.isDown) throw new Error('disk full')
    },
  }
  const buffer = createHeartbeatBuffer({
    store,
    flush,
    now: () => state.nowMs,
    restMs: 50_000,
    latestBeat: () => at(99),
    onError: (error) => errors.push(error),
  })
  return { buffer, batches, errors, state }
}
const device = deviceOf('d1', { metadata: { os: 'Linux', note: 'old' } })
const seen = ({ lastSeenAt, metadata }: StoredDevice) => ({ lastSeenAt, metadata })

it('C3: writes what came in five seconds in one batch, a device once', async () => {
  const { buffer, batches } = openBuffer()
  expect(buffer.add(device, at(1), { os: 'Linux 6' })).toBeUndefined()
  await vi.advanceTimersByTimeAsync(4000)
  void buffer.add(device, at(5), undefined)
  void buffer.add(device, at(5), { note: 'new' })
  void buffer.add(deviceOf('d2'), at(5), undefined)
  await vi.advanceTimersByTimeAsync(999)
  expect(batches).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  const first = { deviceId: 'd1', lastSeenAt: at(5), metadata: { os: 'Linux 6', note: 'new' } }
  expect(batches).toEqual([[first, { deviceId: 'd2', lastSeenAt: at(5) }]])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(batches).toHaveLength(1)
})

it('C3: writes the first of two returns, which ended the silence', async () => {
  const { buffer, batches } = openBuffer()
  const [first, second] = [5, 400].map((second) => ({ at: at(second), silentBefore: at(second - 1) }))
  void buffer.add(device, at(5), undefined, first)
  void buffer.add(device, at(35), { note: 'new' })
  void buffer.add(device, at(400), undefined, second)
  expect(buffer.returnOf('d1')).toEqual(first)
  expect(buffer.returnOf('d2')).toBeUndefined()
  await buffer.close()
  const touch = { deviceId: 'd1', lastSeenAt: at(400), metadata: { note: 'new' }, returned: first }
  expect(batches).toEqual([[touch]])
  expect(buffer.returnOf('d1')).toBeUndefined()
})

it('C3: writes at once what a thousand devices have said', async () => {
  const { buffer, batches } = openBuffer()
  for (let index = 0; index < 999; index += 1) void buffer.add(deviceOf(`d${index}`), at(1), undefined)
  void buffer.add(deviceOf('d0'), at(2), undefined)
  await vi.advanceTimersByTimeAsync(0)
  expect(batches).toEqual([])
  void buffer.add(deviceOf('d999'), at(2), undefined)
  await vi.advanceTimersByTimeAsync(0)
  expect(batches.map((batch) => batch.length)).toEqual([1000])
})

it('C3: keeps what could not be written, with what came since, for the next batch', async () => {
  const { buffer, batches, errors, state } = openBuffer()
  state.isDown = true
  void buffer.add(device, at(1), { os: 'Linux 6' })
  await vi.advanceTimersByTimeAsync(5000)
  expect(errors).toEqual([new Error('disk full')])
  void buffer.add(device, at(7), { note: 'new' })
  state.isDown = false
  await vi.advanceTimersByTimeAsync(5000)
  const both = { deviceId: 'd1', lastSeenAt: at(7), metadata: { os: 'Linux 6', note: 'new' } }
  expect(batches.slice(1)).toEqual([[both]])
  expect(errors).toHaveLength(1)
})

it('C3: tells of a thousand heartbeats that could not be written, and tries again', async () => {
  const { buffer, batches, errors, state } = openBuffer()
  state.isDown = true
  for (let index = 0; index < 1000; index += 1) void buffer.add(deviceOf(`d${index}`), at(1), undefined)
  await vi.advanceTimersByTimeAsync(0)
  expect(errors).toEqual([new Error('disk full')])
  state.isDown = false
  await vi.advanceTimersByTimeAsync(5000)
  expect(batches.map((batch) => batch.length)).toEqual([1000, 1000])
  await buffer.close()
})

it('C3: tries no more once it is closed, also when the storage is down', async () => {
  const { buffer, batches, state } = openBuffer()
  state.isDown = true
  void buffer.add(device, at(1), undefined)
  await expect(buffer.close()).rejects.toThrow('disk full')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(batches).toHaveLength(1)
})

it('C3: reads through what waits and what is being written', async () => {
  const { buffer, state } = openBuffer()
  expect(buffer.readThrough(device)).toBe(device)
  void buffer.add(device, at(1), { os: 'Linux 6' })
  expect(seen(buffer.readThrough(device))).toEqual({
    lastSeenAt: at(1),
    metadata: { os: 'Linux 6', note: 'old' },
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  state.answers = promise
  const written = buffer.flush()
  await vi.advanceTimersByTimeAsync(0)
  void buffer.add(device, at(2), undefined)
  expect(seen(buffer.readThrough(device))).toEqual({
    lastSeenAt: at(2),
    metadata: { os: 'Linux 6', note: 'old' },
  })
  resolve()
  await written
  expect(seen(buffer.readThrough(device))).toEqual({ lastSeenAt: at(2), metadata: device.metadata })
  expect(buffer.readThrough({ ...device, lastSeenAt: at(1) }).lastSeenAt).toBe(at(2))
  // another process has written a later one
  expect(buffer.readThrough({ ...device, lastSeenAt: at(3) }).lastSeenAt).toBe(at(3))
  expect(buffer.readThrough({ ...device, lastSeenAt: at(99) }).lastSeenAt).toBe(at(99))
  // a clock that has been put back since wrote this one
  expect(buffer.readThrough({ ...device, lastSeenAt: at(100) }).lastSeenAt).toBe(at(2))
  await buffer.close()
  expect(buffer.readThrough(device)).toBe(device)
})

it('C3: lets a device rest whose stored time is recent, and then writes its newest heartbeat', async () => {
  const { buffer, batches, state } = openBuffer()
  const pass = async (second: number) => {
    state.nowMs = Date.parse(at(second))
    await vi.advanceTimersByTimeAsync(5000)
  }
  void buffer.add(device, at(1), undefined)
  await pass(5)
  // Another process stored this one's time.
  const seenThere = { ...deviceOf('d2'), lastSeenAt: at(1) }
  for (const second of [10, 20, 30, 40]) {
    void buffer.add(device, at(second), undefined)
    void buffer.add(seenThere, at(second), undefined)
    await pass(second + 5)
  }
  expect(batches.flat()).toEqual([{ deviceId: 'd1', lastSeenAt: at(1) }])
  expect([buffer.count(), buffer.readThrough(device).lastSeenAt]).toEqual([2, at(40)])
  await pass(51)
  const newest = ['d1', 'd2'].map((deviceId) => ({ deviceId, lastSeenAt: at(40) }))
  expect(batches[1]).toEqual(newest)
  // Something new is written with the next batch, and so is what waits when the process ends.
  void buffer.add(device, at(51), undefined)
  void buffer.add(device, at(52), { note: 'new' })
  expect(buffer.readThrough(device).lastSeenAt).toBe(at(52))
  await pass(57)
  expect(batches[2]).toMatchObject([{ deviceId: 'd1', lastSeenAt: at(52) }])
  void buffer.add(device, at(58), undefined)
  await buffer.close()
  expect(batches[3]).toEqual([{ deviceId: 'd1', lastSeenAt: at(58) }])
})

it('C15: writes nothing of a device that is gone', async () => {
  const { buffer, batches } = openBuffer()
  void buffer.add(device, at(1), undefined)
  buffer.forget('d1')
  await buffer.close()
  expect(batches).toEqual([])
})

it("C3: has written a heartbeat when it resolves where flush is 'sync', one batch behind the other", async () => {
  const { buffer, batches, state } = openBuffer('sync')
  await buffer.add(device, at(1), undefined)
  expect(batches).toHaveLength(1)
  state.isDown = true
  await expect(buffer.add(device, at(2), undefined)).rejects.toThrow('disk full')
  state.isDown = false
  await Promise.all([buffer.add(device, at(3), undefined), buffer.add(deviceOf('d2'), at(3), undefined)])
  expect(batches.slice(2).flat()).toEqual(['d1', 'd2'].map((deviceId) => ({ deviceId, lastSeenAt: at(3) })))
  await buffer.close()
})

it('C19: a key that would make metadata too large keeps its value; the documented ones come first', () => {
  const large = 'x'.repeat(4000)
  const stored = { a: large, b: large }
  expect(mergeMetadata(stored, { c: large, b: 'small', os: 'Linux' })).toEqual({
    a: large,
    b: 'small',
    os: 'Linux',
    c: large,
  })
  expect(
    mergeMetadata(stored, { a: `${large}${large}`, z: 'x'.repeat(150), os: 'x'.repeat(100), version: '1' }),
  ).toEqual({
    ...stored,
    os: 'x'.repeat(100),
    version: '1',
  })
  for (const key of ['os', 'version', 'hardware']) {
    const crowded = { z: 'x'.repeat(150), [key]: 'x'.repeat(100) }
    expect(mergeMetadata(stored, crowded)).toEqual({ ...stored, [key]: crowded[key] })
  }
  // 8192 bytes of UTF-8, to the byte
  const whole = { a: 'é'.repeat(4092) }
  expect(new TextEncoder().encode(JSON.stringify(whole))).toHaveLength(8192)
  expect(mergeMetadata({ a: '' }, whole)).toEqual(whole)
  expect(mergeMetadata({ a: '' }, { a: `${whole.a}x` })).toEqual({ a: '' })
})
