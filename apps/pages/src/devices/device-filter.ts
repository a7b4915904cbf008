import type { DeviceFilter as ServerFilter, DeviceStatus } from '@homeward/contract/device-cloud'

/** Which devices a page shows, as the fields above the list have it. */
export interface DeviceFilter {
  /** Part of a name, of an id or of a metadata value; empty for any. */
  readonly text: string
  /** `all` for any. */
  readonly status: string
  /** `all` for any. */
  readonly platform: string
  /** `all` for any. */
  readonly type: string
  /** Labels that a device must have, with commas between them; empty for any. */
  readonly label: string
}

/** Every device. */
export const everyDevice: DeviceFilter = { text: '', status: 'all', platform: 'all', type: 'all', label: '' }

/** As the server takes it. */
const maxTextLength = 200

/** The filter as the server takes it in a body. */
export function toServerFilter(filter: DeviceFilter): ServerFilter {
  const { status, platform, type } = filter
  const text = filter.text.trim().slice(0, maxTextLength)
  const labels = labelsOf(filter)
  return {
    ...(text !== '' && { text }),
    ...(status !== 'all' && { status: status as DeviceStatus }), // the server rejects any other
    ...(platform !== 'all' && { platform }),
    ...(type !== 'all' && { type }),
    ...(labels.length > 0 && { labels }),
  }
}

/** A filter of the server as the fields above a list have it. */
export function fromServerFilter({ text, status, platform, type, labels }: ServerFilter): DeviceFilter {
  return {
    text: text ?? '',
    status: status ?? 'all',
    platform: platform ?? 'all',
    type: type ?? 'all',
    label: (labels ?? []).join(','),
  }
}

/** The filter as the server takes it in a query. */
export function toListQuery(filter: DeviceFilter) {
  const { labels, ...rest } = toServerFilter(filter)
  return { ...rest, ...(labels && { label: labels }) }
}

/** Labels that the filter asks for. */
export function labelsOf({ label }: DeviceFilter): string[] {
  return label.split(',').filter((each) => each !== '')
}

/** Whether the filter leaves out no device. */
export const matchesAll = (filter: DeviceFilter): boolean => Object.keys(toServerFilter(filter)).length === 0

/** Page of the devices that have a label. */
export const hrefOfLabel = (label: string): string => `/devices?label=${encodeURIComponent(label)}`

/** Page of a new search on the devices that a filter matches. */
export function hrefOfNewSearch(filter: DeviceFilter, query: string): string {
  const narrowed = Object.entries(filter).filter(
    ([name, value]) => value !== everyDevice[name as keyof DeviceFilter],
  )
  const params = new URLSearchParams([...narrowed, ...(query === '' ? [] : [['q', query]])])
  return `/searches/new${params.size > 0 ? `?${params.toString()}` : ''}`
}

/** Kinds of devices that forms suggest; any other is as good (C1). */
export const types = ['desktop', 'laptop', 'server', 'mobile', 'tablet', 'iot', 'other']

/** Operating systems that forms suggest; any other is as good (C1). */
export const platforms = ['macos', 'windows', 'linux', 'ios', 'android', 'other']
