import type { DeviceAccess } from '@homeward/contract/device-cloud'
import type { DeviceCondition, StoredDevice } from '../ports/device-store.ts'

/** Whether a device is among those that an API token reaches. */
export function isReached(
  { id, labels, type, platform }: Pick<StoredDevice, 'id' | 'labels' | 'type' | 'platform'>,
  access: DeviceAccess,
): boolean {
  return (
    (access.labels ?? []).every((label) => labels.includes(label)) &&
    (access.type === undefined || access.type === type) &&
    (access.platform === undefined || access.platform === platform) &&
    (access.ids === undefined || access.ids.includes(id))
  )
}

/**
 * The condition that both hold: what a caller asks for, and what it reaches. Narrowing twice is the same as once.
 *
 * @param access Everything, if it is undefined.
 */
export function narrow<Condition extends DeviceCondition>(
  condition: Condition,
  access: DeviceAccess | undefined,
): Condition & DeviceCondition {
  if (access === undefined) return condition
  const { labels = [], type, platform, ids } = access
  const isNever =
    (type !== undefined && condition.type !== undefined && condition.type !== type) ||
    (platform !== undefined && condition.platform !== undefined && condition.platform !== platform)
  const allLabels = [...new Set([...(condition.labels ?? []), ...labels])]
  const allIds = ids === undefined ? condition.ids : ids.filter((id) => condition.ids?.includes(id) ?? true)
  return {
    ...condition,
    ...(allLabels.length > 0 && { labels: allLabels }),
    ...(type !== undefined && { type }),
    ...(platform !== undefined && { platform }),
    ...((isNever || allIds !== undefined) && { ids: isNever ? [] : [...(allIds ?? [])] }),
  }
}

/** Whether every device that a condition can match is among those of an access. No condition matches all devices. */
export function isWithin(condition: DeviceCondition | null | undefined, access: DeviceAccess): boolean {
  const { labels = [], type, platform, ids } = condition ?? {}
  return (
    (access.labels ?? []).every((label) => labels.includes(label)) &&
    (access.type === undefined || access.type === type) &&
    (access.platform === undefined || access.platform === platform) &&
    (access.ids === undefined || (ids !== undefined && ids.every((id) => access.ids?.includes(id))))
  )
}

/** The same text for the same access, whatever the order of its lists. */
export function nameOfAccess({ labels, type, platform, ids }: DeviceAccess): string {
  return JSON.stringify([labels?.toSorted(), type, platform, ids?.toSorted()])
}
