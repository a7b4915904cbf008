import type { JournalEvent } from '@homeward/contract/agent-platform'
import { Pause, Play, ScrollText } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useSearchParams } from 'wouter'
import { Button } from '../../components/buttons/button.tsx'
import { Card } from '../../components/layout/card.tsx'
import { Dialog } from '../../components/dialogs/dialog.tsx'
import { EmptyState } from '../../components/states/empty-state.tsx'
import { ErrorState } from '../../components/states/error-state.tsx'
import { LoadingState } from '../../components/states/loading-state.tsx'
import { PageHeader } from '../../components/layout/page-header.tsx'
import { useDebounced } from '../../components/use-debounced.ts'
import { useIsNarrow } from '../../components/table/use-is-narrow.ts'
import { EventDetails } from './event-details.tsx'
import type { EventLogView } from './event-log.ts'
import { isShown, readLogFilter, toLogSearch, typesOf } from './log-filter.ts'
import { LogFilterForm } from './log-filter-form.tsx'
import { LogList } from './log-list.tsx'
import './logs.css'
import { LogsNote } from './logs-note.tsx'
import { useEventLog } from './use-event-log.ts'
import { indexOfSeq } from './visible-rows.ts'

/** What happens on the platform, as it happens. */
export function LogsPage() {
  const [search, setSearch] = useSearchParams()
  const filter = readLogFilter(search)
  const { type, runId, agentId, onlyProblems } = filter
  // Each other run is another journal to read.
  const wantedRun = useDebounced(runId)
  const journal = useEventLog(typesOf(type), wantedRun === '' ? undefined : wantedRun)
  const [paused, setPaused] = useState<EventLogView>()
  const [isFollowing, setIsFollowing] = useState(true)
  const [selected, setSelected] = useState<number>()
  const [isOpen, setIsOpen] = useState(false)
  const isNarrow = useIsNarrow()

  const shown = paused ?? journal.view
  const events = useMemo(() => {
    if (agentId === '' && !onlyProblems) return shown.events
    return shown.events.filter((event) => isShown(event, { type, runId, agentId, onlyProblems }))
  }, [shown, type, runId, agentId, onlyProblems])
  const waiting = paused
    ? journal.view.events.length - indexOfSeq(journal.view.events, lastSeq(paused) + 1)
    : 0
  const event = selected === undefined ? undefined : eventOf(events, selected)

  return (
    <>
      <PageHeader
        title="Logs"
        description="Events of the server, live."
        actions={
          <Button
            icon={paused ? <Play aria-hidden /> : <Pause aria-hidden />}
            onPress={() => setPaused(paused ? undefined : journal.view)}
          >
            {paused ? `Continue${waiting > 0 ? ` (${waiting.toLocaleString()} new)` : ''}` : 'Pause'}
          </Button>
        }
      />
      <LogFilterForm
        filter={filter}
        onChange={(next) => {
          // The same events, of which others are shown, stay as they are.
          if (next.type !== type || next.runId !== runId) setPaused(undefined)
          setIsFollowing(true)
          setSearch(toLogSearch(next), { replace: true })
        }}
      />
      {typeof journal.status === 'object' && (
        <ErrorState error={journal.status.error} onRetry={journal.retry} isInline={events.length > 0} />
      )}
      {journal.status === 'loading' && events.length === 0 && <LoadingState />}
      {journal.status === 'following' && events.length === 0 && (
        <EmptyState title="No events match" icon={<ScrollText aria-hidden />}>
          Matching events appear here as they happen.
        </EmptyState>
      )}
      <div className="logs">
        <div className="logs-list">
          <LogsNote journal={journal} shown={events.length} isPaused={paused !== undefined} />
          {events.length > 0 && (
            <LogList
              events={events}
              selected={selected}
              onSelect={setSelected}
              onOpen={(seq) => {
                setSelected(seq)
                setIsOpen(true)
              }}
              isFollowing={isFollowing}
              onFollowingChange={setIsFollowing}
            />
          )}
        </div>
        {!isNarrow && events.length > 0 && (
          <Card title={event ? `Event ${event.seq}` : 'Details'}>
            {event ? (
              <EventDetails key={event.seq} event={event} />
            ) : (
              <p className="muted">Select an event to see its details.</p>
            )}
          </Card>
        )}
      </div>
      {isNarrow && event && (
        <Dialog title={`Event ${event.seq}`} isOpen={isOpen} onOpenChange={setIsOpen}>
          <EventDetails event={event} />
        </Dialog>
      )}
    </>
  )
}

/** A filter may have taken it out. */
function eventOf(events: readonly JournalEvent[], seq: number): JournalEvent | undefined {
  const event = events[indexOfSeq(events, seq)]
  return event?.seq === seq ? event : undefined
}

const lastSeq = ({ events }: EventLogView) => events.at(-1)?.seq ?? 0
