import type { Device } from '@homeward/contract/device-cloud'
import { useServerFacts } from '../api/server-facts.ts'
import { pageLocale } from '../components/text/page-locale.ts'
import { RelativeTime } from '../components/text/relative-time.tsx'

const clock = new Intl.DateTimeFormat(pageLocale, { timeStyle: 'medium' })
const dayAndClock = new Intl.DateTimeFormat(pageLocale, { dateStyle: 'medium', timeStyle: 'short' })

/** When a device last called. */
export function LastSeen({ device }: { readonly device: Device }) {
  return device.lastSeenAt === null ? (
    <span className="muted">never</span>
  ) : (
    <RelativeTime value={device.lastSeenAt} />
  )
}

/** Why a device has the status that it has (C2): a heartbeat counts for a while. */
export function Presence({ device }: { readonly device: Device }) {
  const onlineWindowMs = useServerFacts()?.onlineWindowMs
  const { lastSeenAt, status } = device
  if (lastSeenAt === null) return <span className="muted">no heartbeat yet</span>
  if (onlineWindowMs === undefined) return <span className="muted">–</span>
  const until = Date.parse(lastSeenAt) + onlineWindowMs
  const text =
    status === 'online' ? `online until ${clock.format(until)}` : `offline since ${formatDay(until)}`
  return <span title="A device counts as online for a while after each heartbeat.">{text}</span>
}

/** The day as well, once it is another one. */
function formatDay(time: number): string {
  const isToday = new Date(time).toDateString() === new Date().toDateString()
  return (isToday ? clock : dayAndClock).format(time)
}
