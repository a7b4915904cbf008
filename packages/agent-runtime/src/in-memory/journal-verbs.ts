import type { JournalEvent } from '@homeward/contract/agent-platform'
import type { JournalFilter, NewJournalEvent } from '../ports/journal.ts'
import type { JournalRecord, Tables } from './tables.ts'
import { fromJson } from '../sql/json.ts'

/** {@link Journal.appendEvents}, in memory. */
export function appendEvents(tables: Tables, events: readonly NewJournalEvent[]): number {
  for (const { type, timestamp, runId, data } of events) {
    const seq = (tables.journalSeq += 1)
    const event: JournalEvent = { seq, type, timestamp, ...(runId !== undefined && { run_id: runId }), data }
    tables.journal.push({ seq, type, runId, json: JSON.stringify(event) })
  }
  const { journalEvents } = tables.bounds
  // Not with every event: moving all of them up costs more than a few too many.
  if (tables.journal.length > journalEvents * 1.25) {
    tables.journal.splice(0, tables.journal.length - journalEvents)
  }
  return tables.journalSeq
}

/** {@link Journal.listEvents}, in memory. */
export function listEvents(tables: Tables, filter: JournalFilter): JournalEvent[] {
  const found: JournalRecord[] = []
  const { journal } = tables
  const first = journal[0]?.seq ?? 1
  const step = filter.since === undefined ? -1 : 1
  // Numbers have no gaps, so they tell the place.
  let place = filter.since === undefined ? journal.length - 1 : Math.max(0, filter.since + 1 - first)
  for (; found.length < filter.limit; place += step) {
    const record = journal[place]
    if (record === undefined) break
    if (isMatch(record, filter)) found.push(record)
  }
  if (filter.since === undefined) found.reverse()
  return found.map(({ json }) => fromJson<JournalEvent>(json))
}

function isMatch(record: JournalRecord, { type, runId }: JournalFilter): boolean {
  return (type === undefined || record.type === type) && (runId === undefined || record.runId === runId)
}
