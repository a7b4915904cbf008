import type { QueryOf, ReplyOf } from '@homeward/contract'
import type { DeviceCloudOperations } from '@homeward/contract/device-cloud'
import { validationError } from '@homeward/contract/handler'
import { firstMs, lastMs, toTimestamp } from '../context/time.ts'
import type { UserCall } from '../context/cloud-context.ts'
import type { DeviceContext } from './device-context.ts'
import { deviceNotFound } from './find-devices.ts'
import type { StoredDevice } from '../ports/device-store.ts'
import type { PresenceGap, PresenceHistory } from '../ports/presence-store.ts'
import { gapRetentionMs, maxGaps } from './presence-gaps.ts'
import { statusAt } from './presence.ts'

type Reply = ReplyOf<DeviceCloudOperations['getDevicePresence']>
type Query = QueryOf<DeviceCloudOperations['getDevicePresence']>

const defaultRangeMs = 7 * 24 * 60 * 60 * 1000

/** How users see when their devices were silent (C2). */
export function createPresenceQueries({ store, heartbeats, now, onlineWindowMs }: DeviceContext) {
  /** Stored gaps, with the one whose end is on its way and the one that lasts. */
  function gapsOf(device: StoredDevice, gaps: readonly PresenceGap[], nowMs: number): Reply['gaps'] {
    const all: Reply['gaps'] = [...gaps]
    const { lastSeenAt } = device
    const returned = heartbeats.returnOf(device.id)
    const isEnding = returned && lastSeenAt !== null && lastSeenAt < returned.silentBefore
    if (isEnding && gaps.at(-1)?.from !== lastSeenAt) all.push({ from: lastSeenAt, to: returned.at })
    const latest = heartbeats.readThrough(device).lastSeenAt
    if (latest !== null && statusAt(latest, nowMs, onlineWindowMs) === 'offline')
      all.push({ from: latest, to: null })
    return all
  }

  return {
    /** Gives the times in a range at which a device was silent. */
    async getDevicePresence(call: UserCall, deviceId: string, query: Query = {}): Promise<Reply> {
      const nowMs = now()
      const { from, to } = toRange(query, nowMs)
      const device = await store.findDevice(call.userId, deviceId)
      if (!device) throw deviceNotFound()
      const history = await store.findPresence(deviceId)
      const gaps = gapsOf(device, history?.gaps ?? [], nowMs)
      return {
        from,
        to,
        firstSeenAt: history?.firstSeenAt ?? heartbeats.readThrough(device).lastSeenAt,
        knownSince: history ? knownSince(history, nowMs) : heartbeats.readThrough(device).lastSeenAt,
        gaps: gaps.filter((gap) => gap.from < to && (gap.to === null || gap.to > from)),
      }
    },
  }
}

function toRange({ from, to }: Query, nowMs: number): { from: string; to: string } {
  const toMs = Math.min(to === undefined ? nowMs : Date.parse(to), lastMs)
  const fromMs = from === undefined ? Math.max(toMs - defaultRangeMs, firstMs) : Date.parse(from)
  if (fromMs >= toMs) throw validationError('from: must be before to')
  return { from: toTimestamp(fromMs), to: toTimestamp(toMs) }
}

/** Older gaps may have been removed. */
function knownSince({ firstSeenAt, gaps }: PresenceHistory, nowMs: number): string {
  const oldest = toTimestamp(Math.max(nowMs - gapRetentionMs, firstMs))
  const first = gaps.length < maxGaps ? firstSeenAt : (gaps[0]?.from ?? firstSeenAt)
  return first > oldest ? first : oldest
}
