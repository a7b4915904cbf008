import type { DeviceFilter } from '@homeward/contract/device-cloud'
import { foldText, toSearchText } from '../devices/search-text.ts'
import type { OnlineWindow } from '../ports/device-store.ts'
import { type DeviceRow, parseLabels, parseMetadata } from '../sql/device-row.ts'

/** Tells which rows a filter matches (C29). */
export function matcherOf(filter: DeviceFilter, { from, until }: OnlineWindow): (row: DeviceRow) => boolean {
  const { labels = [], type, platform, status } = filter
  const text = filter.text === undefined ? undefined : foldText(filter.text)
  const [fromMs, untilMs] = [Date.parse(from), Date.parse(until)]
  const isOnline = ({ lastSeenMs }: DeviceRow) =>
    lastSeenMs !== null && lastSeenMs >= fromMs && lastSeenMs <= untilMs
  const hasLabels = (row: DeviceRow) => {
    const own = labels.length === 0 ? [] : parseLabels(row.labels)
    return labels.every((label) => own.includes(label))
  }
  return (row) =>
    (type === undefined || row.type === type) &&
    (platform === undefined || row.platform === platform) &&
    (status === undefined || isOnline(row) === (status === 'online')) &&
    hasLabels(row) &&
    (text === undefined || toSearchText({ ...row, metadata: parseMetadata(row.metadata) }).includes(text))
}
