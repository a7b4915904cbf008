import type { SearchGroup } from '@homeward/contract/device-cloud'

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
export const timeRanges: Readonly<Record<string, number>> = {
  hour: hourMs,
  day: 24 * hourMs,
  week: 7 * 24 * hourMs,
  month: 30 * 24 * hourMs,
}

/** Whether the filter leaves out any search. */
export const isNarrowed = ({ text, time, state, savedSearchId }: GroupFilter): boolean =>
  savedSearchId !== undefined || text.trim() !== '' || Object.hasOwn(timeRanges, time) || state !== 'all'

/** The searches that fit. @param now milliseconds since 1970 */
export function pickGroups(
  groups: readonly SearchGroup[],
  { text, time, state, savedSearchId }: GroupFilter,
  now: number,
): readonly SearchGroup[] {
  const words = text.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  const since = now - ((Object.hasOwn(timeRanges, time) ? timeRanges[time] : undefined) ?? now)
  return groups.filter(({ query, createdAt, counts, savedSearchId: ranBy }) => {
    const lower = query.toLocaleLowerCase()
    return (
      (savedSearchId === undefined || savedSearchId === ranBy) &&
      words.every((word) => lower.includes(word)) &&
      Date.parse(createdAt) >= since &&
      (state === 'all' || (state === 'waiting') === counts.pending > 0)
    )
  })
}
