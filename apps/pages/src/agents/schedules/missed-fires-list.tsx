import { useQueryClient } from '@tanstack/react-query'
import { Link } from 'react-aria-components'
import { useLiveEvents } from '../../api/live.ts'
import { usePlatformQuery } from '../../api/platform.ts'
import { refresh } from '../../api/refresh.ts'
import { QueryView } from '../../components/states/query-view.tsx'
import { formatInZone } from '../agents/format-in-zone.ts'
import { type MissedFire, toMissedFire } from './missed-fires.ts'
import './missed-fires.css'

const types = ['schedule.missed']
const input = { query: { types: 'schedule.missed', limit: '100' } } as const
const pauseMs = 400

/** Times that made no run, newest first, and why. */
export function MissedFires() {
  const queries = useQueryClient()
  const query = usePlatformQuery('listLogs', input)
  useLiveEvents({ types }, () => void refresh(queries, { queryKey: ['listLogs', input] }, pauseMs))
  return (
    <QueryView
      query={query}
      isEmpty={({ events }) => events.length === 0}
      empty={<p className="muted">No scheduled time was skipped.</p>}
    >
      {({ events }) => (
        <ul className="missed-fires">
          {events
            .toReversed()
            .flatMap((event) => toMissedFire(event) ?? [])
            .map((missed) => (
              <MissedRow key={missed.seq} missed={missed} />
            ))}
        </ul>
      )}
    </QueryView>
  )
}

function MissedRow({
  missed: { subject, scheduledFor, timezone, count, reason },
}: {
  readonly missed: MissedFire
}) {
  const when = formatInZone(scheduledFor, timezone)
  return (
    <li>
      <Link href={`/${subject.kind}s/${encodeURIComponent(subject.id)}`}>{subject.id}</Link>
      <span className="numeric">{count > 1 ? `${count} times, the last ${when}` : when}</span>
      <span className="muted">{reason}</span>
    </li>
  )
}
