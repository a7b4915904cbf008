import { usePlatformQuery } from '../../api/platform.ts'
import { toFieldErrors } from '../../api/field-errors.ts'
import { ErrorState } from '../states/error-state.tsx'
import { RelativeTime } from '../text/relative-time.tsx'
import { useDebounced } from '../use-debounced.ts'
import { formatInZone } from '../text/format-in-zone.ts'
import './schedule-preview.css'

interface SchedulePreviewProps {
  readonly schedule: string
  /** Empty: that of the platform. */
  readonly timezone: string
}

/** The next five times of a schedule, in its zone, before it is saved. */
export function SchedulePreview(given: SchedulePreviewProps) {
  const schedule = useDebounced(given.schedule.trim())
  const timezone = useDebounced(given.timezone.trim())
  const query = usePlatformQuery(
    'previewSchedule',
    { query: { schedule, count: '5', ...(timezone !== '' && { timezone }) } },
    { enabled: schedule !== '' },
  )
  const problem = toFieldErrors(query.error, ['schedule', 'timezone'])
  if (problem.rest) return <ErrorState error={problem.rest} isInline onRetry={() => void query.refetch()} />
  const text = problem.fields.schedule ?? problem.fields.timezone
  if (text !== undefined) {
    return (
      <p className="field-error" role="alert">
        {text}
      </p>
    )
  }
  const fires = query.data?.fires ?? []
  const [first] = fires
  return (
    <section className="schedule-preview" aria-label="Next times" aria-busy={query.isFetching}>
      {/* The list is no live region: how long it still takes changes all the time. */}
      <p role="status" className="visually-hidden">
        {first !== undefined && `Next on ${formatInZone(first, timezone)}`}
      </p>
      <h3>{timezone === '' ? 'Next times, in your time zone' : `Next times in ${timezone}`}</h3>
      {query.data !== undefined && fires.length === 0 && <p className="muted">This schedule never runs.</p>}
      <ol>
        {fires.map((fire) => (
          <li key={fire}>
            <span className="numeric">{formatInZone(fire, timezone)}</span>{' '}
            <span className="muted">
              <RelativeTime value={fire} />
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}
