import type { JournalEvent } from '@homeward/contract/agent-platform'
import type { JournalFilter, NewJournalEvent } from '../ports/journal.ts'
import type { Tables } from './tables.ts'
import { tell, toCopy } from './tables.ts'

/** {@link Journal.appendEvents}, in memory. */
export function appendEvents(tables: Tables, events: readonly NewJournalEvent[]): number {
  if (events.length === 0) return tables.journalSeq
  for (const event of events) tables.journal.push(event)
  tables.journalSeq += events.length
  tell(tables, { topic: 'journal' })
  const { journalEvents } = tables.bounds
  // Not with every event: moving all of them up costs more than a few too many.
  if (tables.journal.length > journalEvents * 1.25) {
    tables.journal.splice(0, tables.journal.length - journalEvents)
  }
  return tables.journalSeq
}

/** {@link Journal.listEvents}, in memory. */
export function listEvents(tables: Tables, filter: JournalFilter): JournalEvent[] {
  const found: JournalEvent[] = []
  const { journal } = tables
  const first = tables.journalSeq - journal.length + 1
  const step = filter.since === undefined ? -1 : 1
  // Numbers have no gaps, so they tell the place.
  let place = filter.since === undefined ? journal.length - 1 : Math.max(0, filter.since + 1 - first)
  for (; found.length < filter.limit; place += step) {
    const record = journal[place]
    if (record === undefined) break
    if (isMatch(record, filter)) found.push(toEvent(record, first + place))
  }
  if (filter.since === undefined) found.reverse()
  return found
}

/** {@link Journal.lastEventSeq}, in memory. */
export function lastEventSeq(tables: Tables): number {
  return tables.journalSeq
}

function toEvent({ type, timestamp, runId, data }: NewJournalEvent, seq: number): JournalEvent {
  return toCopy({ seq, type, timestamp, ...(runId !== undefined && { run_id: runId }), data })
}

function isMatch(event: NewJournalEvent, { type, types, runId }: JournalFilter): boolean {
  return (
    (type === undefined || event.type === type) &&
    (types === undefined || types.includes(event.type)) &&
    (runId === undefined || event.runId === runId)
  )
}
