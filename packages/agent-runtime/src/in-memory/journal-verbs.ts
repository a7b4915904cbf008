import type { JournalEvent } from '@homeward/contract/agent-platform'
import type { JournalFilter, NewJournalEvent } from '../store/ports/journal.ts'
import { addEvents, dropSurplus, readAfter, readBack, type NumberedEvent } from './journal-records.ts'
import type { Tables } from './tables.ts'
import { tell, toCopy } from './tables.ts'

/** {@link Journal.appendEvents}, in memory. */
export function appendEvents(tables: Tables, events: readonly NewJournalEvent[]): number {
  const { journal, bounds } = tables
  if (events.length === 0) return journal.lastSeq
  addEvents(journal, events)
  dropSurplus(journal, bounds.journalEvents)
  tell(tables, { topic: 'journal' })
  return journal.lastSeq
}

/** {@link Journal.listEvents}, in memory. */
export function listEvents({ journal }: Tables, filter: JournalFilter): JournalEvent[] {
  const { since } = filter
  const found: JournalEvent[] = []
  for (const numbered of since === undefined ? readBack(journal) : readAfter(journal, since)) {
    if (found.length >= filter.limit) break
    if (isMatch(numbered, filter)) found.push(toEvent(numbered))
  }
  return since === undefined ? found.toReversed() : found
}

/** {@link Journal.lastEventSeq}, in memory. */
export function lastEventSeq({ journal }: Tables): number {
  return journal.lastSeq
}

function toEvent([seq, { type, timestamp, runId, data }]: NumberedEvent): JournalEvent {
  return toCopy({ seq, type, timestamp, ...(runId !== undefined && { run_id: runId }), data })
}

function isMatch([, event]: NumberedEvent, { type, types, runId }: JournalFilter): boolean {
  return (
    (type === undefined || event.type === type) &&
    (types === undefined || types.includes(event.type)) &&
    (runId === undefined || event.runId === runId)
  )
}
