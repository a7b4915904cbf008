import type { JournalEvent, Json } from '@homeward/contract/agent-platform'
import { Pause, Play, ScrollText } from 'lucide-react'
import { useMemo, useState, type ReactNode } from 'react'
import { useSearchParams } from 'wouter'
import { Button } from '../components/buttons/button.tsx'
import { Card } from '../components/layout/card.tsx'
import { Dialog } from '../components/dialogs/dialog.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { LoadingState } from '../components/states/loading-state.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { useDebounced } from '../components/use-debounced.ts'
import { useIsNarrow } from '../components/use-media.ts'
import type { EventLogView } from './event-log.ts'
import { isShown, readLogFilter, toLogSearch, typesOf, type LogFilter, typeOptions } from './log-filter.ts'
import { LogList } from './log-list.tsx'
import './logs.css'
import { useEventLog, type FollowedJournal } from './use-event-log.ts'
import { indexOfSeq } from './visible-rows.ts'
import { usePlatformQuery } from '../api/platform.ts'
import { FilterBar } from '../components/table/filter-bar.tsx'
import { useAgentNames } from '../components/agents/agent-filter.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { SwitchField } from '../components/fields/switch-field.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { Link } from 'react-aria-components'
import { CodeBlock } from '../components/text/code-block.tsx'
import { Disclosure } from '../components/layout/disclosure.tsx'
import { formatTime } from '../components/text/relative-time.tsx'

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
        {!isNarrow && event && (
          <Card title={`Event ${event.seq}`}>
            <EventDetails key={event.seq} event={event} />
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

/** What a {@link LogsNote} takes. */
interface LogsNoteProps {
  readonly journal: FollowedJournal
  /** Events that are shown. */
  readonly shown: number
  readonly isPaused: boolean
}

/** How much of the journal is shown, and the way to what was before. */
function LogsNote({ journal, shown, isPaused }: LogsNoteProps) {
  const [isLoading, setIsLoading] = useState(false)
  const [error, setError] = useState<Error>()
  const { dropped } = journal.view

  async function loadOlder(): Promise<void> {
    setIsLoading(true)
    setError(undefined)
    try {
      await journal.loadOlder()
    } catch (cause) {
      setError(cause instanceof Error ? cause : new Error(String(cause)))
    } finally {
      setIsLoading(false)
    }
  }

  const canLoad = journal.hasOlder && !journal.isFull && !isPaused && journal.status === 'following'
  return (
    <div className="logs-note row" data-justify="between">
      <span className="muted small">
        {shown.toLocaleString()} {shown === 1 ? 'event' : 'events'}
        {dropped > 0 && `; ${dropped.toLocaleString()} older events are hidden; find them in the journal`}
        {journal.isFull && '. To see earlier events, use a narrower filter'}
        {!journal.hasOlder && shown > 0 && ', all events are loaded'}
        {error && `. Loading older events failed: ${error.message}`}
      </span>
      {canLoad && (
        <Button variant="quiet" isPending={isLoading} onPress={() => void loadOlder()}>
          Load older events
        </Button>
      )}
    </div>
  )
}

/** What a {@link LogFilterForm} takes. */
interface LogFilterFormProps {
  readonly filter: LogFilter
  readonly onChange: (filter: LogFilter) => void
}

const all = { value: 'all', label: 'All agents' }
const longestId = 200

/** Which events are shown. */
function LogFilterForm({ filter, onChange }: LogFilterFormProps) {
  const agents = usePlatformQuery('listAgents')
  const ids = agents.data?.agents.map(({ id }) => id) ?? []
  const nameOf = useAgentNames()
  const known = filter.agentId === '' || ids.includes(filter.agentId) ? ids : [filter.agentId, ...ids]
  const set = (change: Partial<LogFilter>) => onChange({ ...filter, ...change })
  return (
    <FilterBar>
      <SelectField
        label="Kind"
        options={typeOptions}
        value={filter.type === '' ? 'all' : filter.type}
        onChange={(type) => set({ type: type === 'all' ? '' : type })}
      />
      <SelectField
        label="Agent"
        options={[all, ...known.map((id) => ({ value: id, label: nameOf(id) }))]}
        value={filter.agentId === '' ? 'all' : filter.agentId}
        onChange={(id) => set({ agentId: id === 'all' ? '' : id })}
      />
      <TextField
        label="Run"
        value={filter.runId}
        onChange={(runId) => set({ runId: runId.trim() })}
        placeholder="Id of a run"
        maxLength={longestId}
      />
      <SwitchField
        label="Problems only"
        isSelected={filter.onlyProblems}
        onChange={(onlyProblems) => set({ onlyProblems })}
      />
    </FilterBar>
  )
}

/** Everything that the journal holds about an event; what has parts is folded. */
function EventDetails({ event }: { readonly event: JournalEvent }) {
  const { seq, type, timestamp, run_id: runId, data } = event
  return (
    <div className="stack" data-gap="small">
      <dl className="log-facts">
        <Fact name="Kind">{type}</Fact>
        <Fact name="Time">{formatTime(timestamp)}</Fact>
        <Fact name="Number">{seq}</Fact>
        {runId !== undefined && (
          <Fact name="Run">
            <Link href={`/runs/${encodeURIComponent(runId)}`}>{runId}</Link>
          </Fact>
        )}
        {Object.entries(data)
          .filter(([, value]) => !hasParts(value))
          .map(([name, value]) => (
            <Fact key={name} name={name}>
              <Value name={name} value={value} />
            </Fact>
          ))}
      </dl>
      {Object.entries(data)
        .filter(([, value]) => hasParts(value))
        .map(([name, value]) => (
          <Disclosure key={name} title={name}>
            <CodeBlock label={name} code={JSON.stringify(value, undefined, 2)} isWrapped />
          </Disclosure>
        ))}
      <Disclosure title="The event as JSON">
        <CodeBlock label="the event" code={JSON.stringify(event, undefined, 2)} isWrapped />
      </Disclosure>
    </div>
  )
}

const hasParts = (value: Json) => typeof value === 'object' && value !== null

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt className="foreign">{name}</dt>
      <dd className="foreign">{children}</dd>
    </div>
  )
}

function Value({ name, value }: { readonly name: string; readonly value: Json }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const href = typeof value === 'string' ? linkOfField(name, value) : undefined
  return href === undefined ? <>{text}</> : <Link href={href}>{text}</Link>
}

const pages: Readonly<Record<string, string>> = {
  agent_id: '/agents/',
  graph_id: '/graphs/',
  task_id: '/tasks/',
  conversation_id: '/conversations/',
  parent_run_id: '/runs/',
  skill_id: '/skills/',
}

/** The page of what a field of an event names; undefined where there is none. */
function linkOfField(name: string, value: string): string | undefined {
  const page = Object.hasOwn(pages, name) ? pages[name] : undefined
  return page === undefined || value === '' ? undefined : page + encodeURIComponent(value)
}
