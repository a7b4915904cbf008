import type { ReplyOf } from '@homeward/contract'
import type { DeviceCloudOperations } from '@homeward/contract/device-cloud'

/** What a server tells about when a device was silent. */
export type PresenceReply = ReplyOf<DeviceCloudOperations['getDevicePresence']>

/** A part of the range in which the device was silent, or of which nothing is known. Shares of the range, from 0 to 1. */
export interface PresenceBar {
  readonly kind: 'silent' | 'unknown'
  readonly start: number
  readonly length: number
}

/** The history of a device as it is drawn and told. */
export interface PresenceBars {
  readonly bars: readonly PresenceBar[]
  /** Share of the known time with heartbeats, from 0 to 1; undefined if nothing is known of the range. */
  readonly online: number | undefined
  /** Starts of days in the reader's time zone. */
  readonly days: readonly { readonly ms: number; readonly start: number }[]
}

/** Lays the gaps of a device out over the range that they were read for. */
export function toPresenceBars({ from, to, knownSince, gaps }: PresenceReply): PresenceBars {
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)]
  const rangeMs = toMs - fromMs
  const shareOf = (ms: number) => (Math.min(Math.max(ms, fromMs), toMs) - fromMs) / rangeMs
  const barOf = (kind: PresenceBar['kind'], startMs: number, endMs: number): PresenceBar => {
    const start = shareOf(startMs)
    return { kind, start, length: shareOf(endMs) - start }
  }
  const unknown = barOf('unknown', fromMs, knownSince === null ? toMs : Date.parse(knownSince))
  const silent = gaps.map((gap) =>
    barOf('silent', Date.parse(gap.from), gap.to === null ? toMs : Date.parse(gap.to)),
  )
  const known = 1 - unknown.length
  const silentShare = silent.reduce((sum, { length }) => sum + length, 0)
  return {
    bars: [unknown, ...silent].filter(({ length }) => length > 0),
    online: known > 0 ? Math.max(0, 1 - silentShare / known) : undefined,
    days: daysBetween(fromMs, toMs).map((ms) => ({ ms, start: shareOf(ms) })),
  }
}

function daysBetween(fromMs: number, toMs: number): number[] {
  const day = new Date(fromMs)
  day.setHours(24, 0, 0, 0)
  const days: number[] = []
  // Days have 23 or 25 hours where clocks change.
  for (; day.getTime() < toMs; day.setDate(day.getDate() + 1)) days.push(day.getTime())
  return days
}
