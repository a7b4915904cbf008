import type { QueryOf } from '@homeward/contract'
import type { DeviceCloudOperations } from '@homeward/contract/device-cloud'

/** Which searches show. */
export interface GroupFilter {
  /** Words of the search text; empty for any. */
  readonly text: string
  /** A key of {@link timeRanges}; `all` for any time. */
  readonly time: string
  /** `waiting` for searches that devices have not answered yet; `all` for any. */
  readonly state: string
  /** Only runs of this saved search. */
  readonly savedSearchId?: string
}

const hourMs = 3_600_000

/** Times since when searches show, in milliseconds, by their name in the address. */
const timeRanges: Readonly<Record<string, number>> = {
  hour: hourMs,
  day: 24 * hourMs,
  week: 7 * 24 * hourMs,
  month: 30 * 24 * hourMs,
}

const statuses: Readonly<Record<string, 'pending' | 'settled'>> = { waiting: 'pending', settled: 'settled' }

const own = <Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined

/** The filter as the server takes it; empty for all searches. @param now milliseconds since 1970 */
export function toGroupQuery(
  { text, time, state, savedSearchId }: GroupFilter,
  now: number,
): QueryOf<DeviceCloudOperations['listSearchGroups']> {
  const words = text.trim()
  const range = own(timeRanges, time)
  const status = own(statuses, state)
  return {
    ...(words !== '' && { text: words }),
    ...(range !== undefined && { from: new Date(now - range).toISOString() }),
    ...(status !== undefined && { status }),
    ...(savedSearchId !== undefined && { savedSearchId }),
  }
}
