import type { NewJournalEvent } from '../ports/journal.ts'

/** A journal. Numbers have no gaps. */
export interface JournalRecords {
  /** Oldest first, as they were given; those before `head` are gone. */
  readonly events: (NewJournalEvent | undefined)[]
  head: number
  lastSeq: number
}

/** An event and its number. */
export type NumberedEvent = readonly [seq: number, event: NewJournalEvent]

/** A journal without events. */
export const createJournalRecords = (): JournalRecords => ({ events: [], head: 0, lastSeq: 0 })

/** Number of the oldest event that is there; without any, of the next. */
export const firstSeqOf = ({ events, head, lastSeq }: JournalRecords): number =>
  lastSeq - (events.length - head) + 1

/** Adds events behind the others. */
export function addEvents(records: JournalRecords, added: readonly NewJournalEvent[]): void {
  for (const event of added) records.events.push(event)
  records.lastSeq += added.length
}

/** Drops the oldest events; `kept` stay. */
export function dropSurplus(records: JournalRecords, kept: number): void {
  dropBefore(records, records.lastSeq - kept + 1)
}

/** Drops all events before a number. */
export function dropBefore(records: JournalRecords, seq: number): void {
  const { events, head } = records
  const gone = Math.min(events.length - head, Math.floor(seq - firstSeqOf(records)))
  if (gone <= 0) return
  records.head = head + gone
  events.fill(undefined, head, records.head)
  // Not before half of them are gone: of all that come, each is moved once.
  if (records.head < events.length / 2) return
  events.splice(0, records.head)
  records.head = 0
}

/** Events behind a number, oldest first. */
export function* readAfter(records: JournalRecords, seq: number): Generator<NumberedEvent> {
  const { events, head } = records
  const first = firstSeqOf(records) - head
  for (let index = Math.max(head, seq + 1 - first); index < events.length; index += 1) {
    yield [first + index, events[index]!]
  }
}

/** All events, newest first. */
export function* readBack({ events, head, lastSeq }: JournalRecords): Generator<NumberedEvent> {
  for (let index = events.length - 1; index >= head; index -= 1) {
    yield [lastSeq - events.length + 1 + index, events[index]!]
  }
}
