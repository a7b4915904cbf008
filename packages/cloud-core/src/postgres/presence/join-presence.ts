import type { CloudStore } from '../../ports/cloud-store.ts'
import type { StoredDevice } from '../../ports/device-store.ts'
import type { CloudVerbs } from '../../sql/verbs.ts'
import { toOfflineEvent } from '../../webhooks/to-webhook-event.ts'
import type { DevicesByIds } from './devices-by-ids.ts'
import { createListsByStatus, type ListsByStatusSetup, withLastSeen } from './lists-by-status.ts'
import type { PresenceDatabase } from './presence-database.ts'
import type { PresenceRow } from './presence-statements.ts'

/** What {@link joinPresence} joins. */
export interface PresenceJoin extends DevicesByIds, Pick<ListsByStatusSetup, 'listPlaces'> {
  /** The verbs over the first database, whose table of last-seen times is not written. */
  readonly verbs: Omit<CloudVerbs, 'claimOffline' | 'findPresence' | 'listPresence' | 'removePresence'>
  readonly presence: PresenceDatabase
}

/** The verbs that know when a device was last seen. */
type PresenceVerbs = Pick<
  CloudStore,
  | 'insertDevice'
  | 'findDeviceByKeyHash'
  | 'findDevice'
  | 'writeHeartbeats'
  | 'updateDevice'
  | 'listDevices'
  | 'countDevices'
  | 'deleteDevice'
  | 'removeSome'
  | 'listPresence'
  | 'findPresence'
  | 'claimOffline'
  | 'removePresence'
>

/**
 * Joins devices with the times of another database.
 *
 * No transaction covers both. The first database decides which devices exist and is written first where a device begins or
 * ends, so that a crash in between leaves a time without a device, which `removePresence` removes, and never the reverse.
 */
export function joinPresence(join: PresenceJoin): PresenceVerbs {
  return { ...joinReads(join), ...joinWrites(join), ...joinPresenceVerbs(join) }
}

function joinReads(join: PresenceJoin) {
  const { verbs, presence } = join
  const lists = createListsByStatus(join)
  const fill = async (devices: readonly StoredDevice[]): Promise<StoredDevice[]> => {
    const seen = await presence.find(devices.map(({ id }) => id))
    return devices.map((device) => withLastSeen(device, seen.get(device.id)))
  }
  return {
    async findDeviceByKeyHash(hash, now, signal) {
      const found = await verbs.findDeviceByKeyHash(hash, now, signal)
      if (found === undefined) return undefined
      // A device gets in while the presence database is away: its work does not need it.
      const lastMs = await presence.findOne(found.device.id, signal).catch((error: unknown) => {
        signal?.throwIfAborted()
        void error
        return undefined
      })
      return { ...found, device: withLastSeen(found.device, lastMs) }
    },
    async findDevice(owner, deviceId, signal) {
      const device = await verbs.findDevice(owner, deviceId, signal)
      return device && (await fill([device]))[0]
    },
    async listDevices(owner, filter, page, online, signal) {
      const { status } = filter
      if (status !== undefined) return lists.list(owner, { ...filter, status }, page, online)
      const found = await verbs.listDevices(owner, filter, page, online, signal)
      return { ...found, rows: await fill(found.rows) }
    },
    async countDevices(owner, filter, online, signal) {
      const { status } = filter
      if (status === undefined) return verbs.countDevices(owner, filter, online, signal)
      return lists.count(owner, { ...filter, status }, online)
    },
  } satisfies Partial<PresenceVerbs>
}

function joinWrites({ verbs, presence, findOwners }: PresenceJoin) {
  /** What stays when this fails is removed with the next look at all times. */
  const forget = (deviceIds: readonly string[]) => presence.remove(deviceIds).catch(() => 0)
  return {
    async insertDevice(device, once, audit, signal) {
      const { id: deviceId, lastSeenAt } = device
      const outcome = await verbs.insertDevice({ ...device, lastSeenAt: null }, once, audit, signal)
      if (outcome.kind === 'created' && lastSeenAt !== null)
        await presence.touch([{ deviceId, lastSeenAt }], lastSeenAt)
      return outcome
    },
    async writeHeartbeats(batch, latest, signal) {
      const known = await findOwners(batch.map(({ deviceId }) => deviceId))
      const touches = batch.filter(({ deviceId }) => known.has(deviceId))
      const changed = touches.filter(({ metadata }) => metadata !== undefined)
      if (changed.length > 0) await verbs.writeHeartbeats(changed, latest, signal)
      await presence.touch(touches, latest)
    },
    async updateDevice(owner, deviceId, changes, audit, signal) {
      // Read first: a change that was made must not be answered as a failure.
      const lastMs = await presence.findOne(deviceId, signal)
      const update = await verbs.updateDevice(owner, deviceId, changes, audit, signal)
      return update && { ...update, device: withLastSeen(update.device, lastMs) }
    },
    async deleteDevice(owner, deviceId, audit, signal) {
      const deleted = await verbs.deleteDevice(owner, deviceId, audit, signal)
      if (deleted !== undefined) await forget([deviceId])
      return deleted
    },
    async removeSome(limit, signal) {
      const removed = await verbs.removeSome(limit, signal)
      await forget(removed.deviceIds)
      return removed
    },
  } satisfies Partial<PresenceVerbs>
}

function joinPresenceVerbs({ verbs, presence, findOwners }: PresenceJoin) {
  const toPresence = <Owner extends string | null>(row: PresenceRow, owner: Owner) => {
    const { deviceId, lastSeenMs, offlineMs } = row
    const lastSeenAt = new Date(lastSeenMs).toISOString()
    return { deviceId, owner, lastSeenAt, isReported: offlineMs !== null }
  }
  return {
    async listPresence(after, limit) {
      const rows = await presence.list(after, limit)
      const owners = await findOwners(rows.map(({ deviceId }) => deviceId))
      return rows.map((row) => toPresence(row, owners.get(row.deviceId) ?? null))
    },
    findPresence: (deviceId) => presence.findHistory(deviceId),
    async claimOffline(claim) {
      // Owners first: a device that was claimed is not claimed again.
      const owners = await findOwners(claim.deviceIds)
      if (owners.size === 0) return []
      const rows = await presence.claim({ ...claim, deviceIds: [...owners.keys()] })
      const devices = rows.flatMap((row) => {
        const owner = owners.get(row.deviceId)
        return owner === undefined ? [] : [toPresence(row, owner)]
      })
      // A crash in between loses the event: what was claimed is not claimed again.
      if (devices.length > 0)
        await verbs.addWebhookEvents(devices.map((device) => toOfflineEvent(device, claim.now)))
      return devices
    },
    async removePresence(deviceIds) {
      const known = await findOwners(deviceIds)
      return presence.remove(deviceIds.filter((id) => !known.has(id)))
    },
  } satisfies Partial<PresenceVerbs>
}
