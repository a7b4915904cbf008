import { toTimestamp } from '../context/time.ts'
import type { CloudContext } from '../context/cloud-context.ts'
import type { DeviceStore } from '../ports/device-store.ts'
import type { OfflineDevice } from '../ports/presence-store.ts'
import { onlineWindowAt } from './presence.ts'

/** How long nothing more is reported to one owner. */
const quietMs = 60 * 60 * 1000
/** Owners whose last report is remembered. */
const maxOwners = 100_000

/** What {@link createOfflineShare} works with. */
interface OfflineShareSetup {
  readonly store: Pick<DeviceStore, 'countDevices'>
  readonly now: () => number
  readonly onlineWindowMs: number
  /** Share above which an owner is told. */
  readonly threshold: number
  readonly emit: CloudContext['emit']
}

/**
 * Emits `fleet:offline-share` when devices fell silent and more of their owner's devices than `threshold` are offline: at
 * most once an hour for each owner and process, so that an outage of a network is one message.
 *
 * @returns takes devices that were just reported as offline
 */
export function createOfflineShare(setup: OfflineShareSetup) {
  const { store, now, onlineWindowMs, threshold, emit } = setup
  const reportedMs = new Map<string, number>()

  async function check(owner: string): Promise<void> {
    const nowMs = now()
    const lastMs = reportedMs.get(owner)
    if (lastMs !== undefined && Math.abs(nowMs - lastMs) < quietMs) return
    const online = onlineWindowAt(nowMs, onlineWindowMs)
    const total = await store.countDevices(owner, {}, online)
    if (total === 0) return
    const share = (await store.countDevices(owner, { status: 'offline' }, online)) / total
    if (share <= threshold) return
    reportedMs.delete(owner)
    if (reportedMs.size >= maxOwners) reportedMs.delete(reportedMs.keys().next().value!)
    reportedMs.set(owner, nowMs)
    emit('fleet:offline-share', { userId: owner, share, at: toTimestamp(nowMs) })
  }

  return async (devices: readonly OfflineDevice[]): Promise<void> => {
    for (const owner of new Set(devices.map((device) => device.owner))) await check(owner)
  }
}
