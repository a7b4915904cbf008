import { gapRetentionMs, maxGaps } from '../devices/presence-gaps.ts'
import type { HeartbeatWrite } from '../ports/device-store.ts'
import type { Tables } from './tables.ts'

/** Notes the first heartbeat of a device, and the gap that one of them ends. */
export function addToHistory(
  tables: Tables,
  { deviceId, lastSeenAt, returned }: HeartbeatWrite,
  lastBefore: string | null,
  latest: string,
): void {
  const history = tables.histories.get(deviceId)
  const firstSeenAt =
    history === undefined || lastSeenAt < history.firstSeenAt ? lastSeenAt : history.firstSeenAt
  const gaps = [...(history?.gaps ?? [])]
  if (returned && lastBefore !== null && lastBefore < returned.silentBefore) {
    if (gaps.every(({ from }) => from !== lastBefore)) gaps.push({ from: lastBefore, to: returned.at })
  }
  const oldest = new Date(Date.parse(latest) - gapRetentionMs).toISOString()
  const stored = returned ? gaps.filter(({ to }) => to >= oldest).slice(-maxGaps) : gaps
  tables.histories.set(deviceId, { firstSeenAt, gaps: stored })
}
