import { HttpError } from '@homeward/contract/handler'
import { expect, it } from 'vitest'
import type { DeviceContext } from './device-context.ts'
import type { StoredDevice } from '../ports/device-store.ts'
import { deviceOf } from '../testing/store-harness.ts'
import { createHeartbeatOperation, createPresenceNotes } from './heartbeat-operation.ts'
import { statusAt } from './presence.ts'

const onlineWindowMs = 150_000
const startMs = Date.parse('2026-01-01T00:00:00.000Z')
const textOf = (ms: number) => new Date(ms).toISOString()

/** The operation over parts that only write down what they are told. */
function openOperation(changes: Partial<DeviceContext> = {}) {
  let nowMs = startMs
  const events: unknown[] = []
  const added: unknown[] = []
  const replaced: StoredDevice[] = []
  const lastBeats = new Map<string, number>()
  const note = (deviceId: string, atMs: number) => {
    const lastMs = lastBeats.get(deviceId)
    lastBeats.set(deviceId, atMs)
    return lastMs
  }
  const parts = {
    offlineWatch: { note, last: (deviceId: string) => lastBeats.get(deviceId) },
    store: { countPending: async () => ({ searches: 1, uploads: 2 }) },
    heartbeats: { add: (...beat: unknown[]) => void added.push(beat) },
    keys: { replace: (_: StoredDevice, device: StoredDevice) => void replaced.push(device) },
    clock: () => ({ ms: nowMs, at: textOf(nowMs) }),
    emit: (...event: unknown[]) => void events.push(event),
    onlineWindowMs,
    ...changes,
  }
  // what the operation takes of a context
  const context = parts as unknown as DeviceContext
  const beat = createHeartbeatOperation(context, createPresenceNotes(context))
  return { beat, events, added, replaced, pass: (ms: number) => (nowMs += ms) }
}

it('C2: tells that a device came online when nothing was heard of it for longer than the window', async () => {
  const { beat, events, pass } = openOperation()
  const device = deviceOf('d1')
  const online = (ms: number) => [
    'device:online',
    { deviceId: 'd1', userId: 'ann', at: textOf(startMs + ms) },
  ]
  await beat(device, {})
  expect(events).toEqual([online(0)])
  for (let round = 0; round < 3; round += 1) {
    pass(onlineWindowMs)
    await beat(device, {})
  }
  expect(events).toHaveLength(1)
  pass(onlineWindowMs + 1)
  await beat(device, {})
  expect(events).toEqual([online(0), online(4 * onlineWindowMs + 1)])
})

it('C2: tells nothing of a device that another process has heard of', async () => {
  const { beat, events, pass } = openOperation()
  await beat(deviceOf('d1', { lastSeenAt: textOf(startMs - onlineWindowMs) }), {})
  expect(events).toEqual([])
  await beat(deviceOf('d2', { lastSeenAt: textOf(startMs - onlineWindowMs - 1) }), {})
  expect(events).toHaveLength(1)
  pass(onlineWindowMs + 1)
  await beat(deviceOf('d1', { lastSeenAt: textOf(startMs + 1) }), {})
  expect(events).toHaveLength(1)
})

it('C2: tells of each device once, however their heartbeats take turns', async () => {
  const { beat, events } = openOperation()
  for (const id of ['d1', 'd2', 'd3', 'd1', 'd2', 'd3']) await beat(deviceOf(id), {})
  expect(events).toHaveLength(3)
})

it('C21: answers with the work that waits, and with a pace only where the host sets one', async () => {
  const answer = { success: true, status: 'online', pending: { searches: 1, uploads: 2 } }
  expect(await openOperation().beat(deviceOf('d1'), {})).toStrictEqual(answer)
  expect(await openOperation({ heartbeatIntervalSeconds: 45 }).beat(deviceOf('d1'), {})).toEqual({
    ...answer,
    nextHeartbeatInSeconds: 45,
  })
})

it('C3: hands metadata on only when there is something new in it', async () => {
  const { beat, added, replaced } = openOperation()
  const online = { lastSeenAt: textOf(startMs) }
  const folders = () => [{ path: '/home' }]
  const device = deviceOf('d1', {
    ...online,
    metadata: { os: 'Linux', beats: Number.NaN, folders: folders() },
  })
  await beat(device, { beats: Number.NaN, folders: folders() })
  expect(replaced).toEqual([])
  await beat(device, { os: 'Linux', note: 'new' })
  expect(replaced).toEqual([{ ...device, metadata: { ...device.metadata, note: 'new' } }])
  expect(added).toEqual([
    [device, textOf(startMs), undefined, undefined],
    [device, textOf(startMs), { os: 'Linux', note: 'new' }, undefined],
  ])
})

it('C3: asks the store for a gap only when this process knows of no heartbeat within the window', async () => {
  const { beat, added, pass } = openOperation()
  const device = deviceOf('d1', { lastSeenAt: textOf(startMs - onlineWindowMs) })
  await beat(device, {})
  pass(onlineWindowMs)
  await beat(device, {})
  pass(onlineWindowMs + 1)
  await beat(device, {})
  const at = textOf(startMs + 2 * onlineWindowMs + 1)
  const returned = { at, silentBefore: textOf(startMs + onlineWindowMs + 1) }
  expect(added.map((call) => (call as unknown[])[3])).toEqual([undefined, undefined, returned])
})

it('C3: answers once the heartbeat is stored where that is wanted, and fails with it', async () => {
  const add = () => Promise.reject(new Error('disk full'))
  const { beat, events } = openOperation({ heartbeats: { add } as unknown as DeviceContext['heartbeats'] })
  await expect(beat(deviceOf('d1'), {})).rejects.toThrow('disk full')
  expect(events).toEqual([])
})

it('C19: refuses metadata that could never be kept', async () => {
  const { beat, added } = openOperation()
  await expect(beat(deviceOf('d1'), { note: 'x'.repeat(9000) })).rejects.toBeInstanceOf(HttpError)
  expect(added).toEqual([])
})

it('C2: tells that a device came online when what was heard of it lies ahead of a clock put back', async () => {
  const { beat, events, pass } = openOperation()
  const device = deviceOf('d1', { lastSeenAt: textOf(startMs) })
  await beat(device, {})
  expect(events).toEqual([])
  pass(-onlineWindowMs)
  await beat(device, {})
  expect(events).toEqual([])
  pass(-onlineWindowMs - 1)
  await beat(device, {})
  expect(events).toHaveLength(1)
  pass(30_000)
  await beat(device, {}) // the key cache still has what was stored
  expect(events).toHaveLength(1)
})

it('C2: a heartbeat from the future counts as now, within the window', () => {
  const status = (agoMs: number) => statusAt(textOf(startMs - agoMs), startMs, onlineWindowMs)
  const ages = [-onlineWindowMs - 1, -onlineWindowMs, 0, onlineWindowMs, onlineWindowMs + 1]
  expect(ages.map(status)).toEqual(['offline', 'online', 'online', 'online', 'offline'])
  expect(statusAt(null, startMs, onlineWindowMs)).toBe('offline')
})
