import { expect, it } from 'vitest'
import { createMemoryStore } from '../memory/index.ts'
import { deviceOf, withDevices } from '../testing/store-harness.ts'
import { createOfflineShare } from './offline-share.ts'

const startMs = Date.UTC(2026, 0, 2)
const hour = 3_600_000

it('reports an owner whose devices are offline above the threshold, once an hour', async () => {
  const store = createMemoryStore()
  const lastSeenAt = new Date(startMs).toISOString()
  const ids = Array.from({ length: 10 }, (_, index) => `d${index}`)
  await withDevices(
    store,
    ids.map((id, index) => deviceOf(id, index < 8 ? { lastSeenAt } : {})),
  )
  let nowMs = startMs
  const shares: unknown[] = []
  const report = createOfflineShare({
    store,
    now: () => nowMs,
    onlineWindowMs: 60_000,
    threshold: 0.2,
    emit: (name, event) => shares.push([name, event]),
  })
  const silent = [{ deviceId: 'd9', owner: 'ann', lastSeenAt, isReported: true }]
  await report(silent)
  expect(shares).toEqual([]) // two of ten are not more than a fifth
  nowMs += hour
  await report(silent)
  await report(silent)
  const at = new Date(nowMs).toISOString()
  expect(shares).toEqual([['fleet:offline-share', { userId: 'ann', share: 1, at }]])
  nowMs += hour
  await report(silent)
  expect(shares).toHaveLength(2)
})
