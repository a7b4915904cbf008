import type { OfflineClaim, OfflineDevice, PresenceHistory, StoredPresence } from '../ports/presence-store.ts'
import type { DeviceRow } from '../sql/device-row.ts'
import { toOfflineEvent } from '../webhooks/to-webhook-event.ts'
import type { Tables } from './tables.ts'
import { addWebhookEvents } from './webhook-events.ts'

/** {@link PresenceStore.listPresence}, in memory. */
export function listPresence(tables: Tables, after: string, limit: number): readonly StoredPresence[] {
  const ids = [...tables.devices.keys()].filter((id) => id > after).toSorted()
  return ids.flatMap((id) => presenceOf(tables, tables.devices.get(id)) ?? []).slice(0, limit)
}

/** {@link PresenceStore.findPresence}, in memory. */
export function findPresence(tables: Tables, deviceId: string): PresenceHistory | undefined {
  return tables.histories.get(deviceId)
}

/** {@link PresenceStore.claimOffline}, in memory. */
export function claimOffline(
  tables: Tables,
  { deviceIds, seenBefore, now }: OfflineClaim,
): readonly OfflineDevice[] {
  const claimed = [...new Set(deviceIds)].toSorted().flatMap((id) => {
    const presence = presenceOf(tables, tables.devices.get(id))
    if (!presence || presence.isReported || presence.lastSeenAt >= seenBefore) return []
    tables.offline.add(id)
    return [{ ...presence, isReported: true }]
  })
  addWebhookEvents(
    tables,
    claimed.map((device) => toOfflineEvent(device, now)),
  )
  return claimed
}

/** {@link PresenceStore.removePresence}, in memory: it goes with its device. */
export function removePresence(): number {
  return 0
}

function presenceOf(tables: Tables, row: DeviceRow | undefined): OfflineDevice | undefined {
  if (row === undefined || row.lastSeenMs === null) return undefined
  const { id: deviceId, owner, lastSeenMs } = row
  return {
    deviceId,
    owner,
    lastSeenAt: new Date(lastSeenMs).toISOString(),
    isReported: tables.offline.has(deviceId),
  }
}
