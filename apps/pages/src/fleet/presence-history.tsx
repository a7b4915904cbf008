import type { PresenceGap, DeviceCloudOperations } from '@homeward/contract/device-cloud'
import { useCloudQuery } from '../api/cloud.ts'
import { Card } from '../components/layout/card.tsx'
import { Disclosure } from '../components/layout/disclosure.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { pageLocale } from '../components/text/page-locale.ts'
import { untilNextRead } from '../api/device-events.ts'
import '../components/layout/bare-list.css'
import './presence-history.css'
import type { ReplyOf } from '@homeward/contract'

const refetchMs = 30_000

const weekday = new Intl.DateTimeFormat(pageLocale, { weekday: 'short' })
const moment = new Intl.DateTimeFormat(pageLocale, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
})
const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 })

/** The name of a day that begins at the end of the strip would be cut. */
const hasRoom = ({ start }: { readonly start: number }) => start < 0.96

/** When a device was online within the last seven days: a strip, and each gap in words. */
export function PresenceHistory({ deviceId }: { readonly deviceId: string }) {
  const presence = useCloudQuery(
    'getDevicePresence',
    { params: { id: deviceId }, query: {} },
    { refetchInterval: () => untilNextRead(refetchMs) },
  )
  return (
    <Card title="Last 7 days">
      <QueryView query={presence}>{(reply) => <Strip presence={reply} />}</QueryView>
    </Card>
  )
}

function Strip({ presence }: { readonly presence: PresenceReply }) {
  const { bars, online, days } = toPresenceBars(presence)
  if (online === undefined)
    return <p className="muted">No heartbeat yet. Times online appear here once the device agent runs.</p>
  const { gaps, knownSince, from } = presence
  const since =
    knownSince !== null && knownSince > from ? ` since ${moment.format(Date.parse(knownSince))}` : ''
  const summary = `Online ${percent.format(online)} of the time${since}`
  return (
    <div className="presence-history">
      <p>{summary}</p>
      <div className="presence-strip" role="img" aria-label={`${summary}, ${countGaps(gaps.length)}`}>
        {bars.map(({ kind, start, length }) => (
          <span
            key={`${kind} ${start}`}
            className="presence-bar"
            data-kind={kind}
            style={{ insetInlineStart: `${start * 100}%`, width: `${length * 100}%` }}
          />
        ))}
      </div>
      <div className="presence-days" aria-hidden>
        {days.filter(hasRoom).map(({ ms, start }) => (
          <span key={ms} style={{ insetInlineStart: `${start * 100}%` }}>
            {weekday.format(ms)}
          </span>
        ))}
      </div>
      {gaps.length > 0 && (
        <Disclosure title={countGaps(gaps.length)}>
          <ul className="bare-list">
            {gaps.toReversed().map((gap) => (
              <li key={gap.from} className="numeric">
                {describeGap(gap)}
              </li>
            ))}
          </ul>
        </Disclosure>
      )}
    </div>
  )
}

const countGaps = (count: number) =>
  count === 0 ? 'no gap' : count === 1 ? '1 gap without a heartbeat' : `${count} gaps without a heartbeat`

/** `Thu, 26 Nov, 12:00 to Thu, 26 Nov, 14:30 · 2 h 30 min`. */
function describeGap({ from, to }: PresenceGap): string {
  const start = moment.format(Date.parse(from))
  if (to === null) return `${start} until now`
  return `${start} to ${moment.format(Date.parse(to))} · ${lengthOf(Date.parse(to) - Date.parse(from))}`
}

function lengthOf(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days ${hours % 24} h`
}

/** What a server tells about when a device was silent. */
type PresenceReply = ReplyOf<DeviceCloudOperations['getDevicePresence']>

/** A part of the range in which the device was silent, or of which nothing is known. Shares of the range, from 0 to 1. */
interface PresenceBar {
  readonly kind: 'silent' | 'unknown'
  readonly start: number
  readonly length: number
}

/** The history of a device as it is drawn and told. */
interface PresenceBars {
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
