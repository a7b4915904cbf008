import type { NewJournalEvent } from '../ports/journal.ts'

/** A journal. Numbers have no gaps. */
export interface JournalRecords {
  /** Oldest first, as they were given. */
  readonly events: NewJournalEvent[]
  lastSeq: number
}

/** An event and its number. */
export type NumberedEvent = readonly [seq: number, event: NewJournalEvent]

/** A journal without events. */
export const createJournalRecords = (): JournalRecords => ({ events: [], lastSeq: 0 })

/** Number of the oldest event that is there; without any, of the next. */
export const firstSeqOf = ({ events, lastSeq }: JournalRecords): number => lastSeq - events.length + 1

/** Adds events behind the others. */
export function addEvents(records: JournalRecords, added: readonly NewJournalEvent[]): void {
  for (const event of added) records.events.push(event)
  records.lastSeq += added.length
}

/** Drops the oldest events; at least `kept` stay, and a sixteenth more at most: each time all the others are moved. */
export function dropSurplus({ events }: JournalRecords, kept: number): void {
  if (events.length - kept > kept / 16) events.splice(0, events.length - kept)
}

/** Drops all events before a number. */
export function dropBefore(records: JournalRecords, seq: number): void {
  records.events.splice(0, Math.max(0, seq - firstSeqOf(records)))
}

/** Events behind a number, oldest first. */
export function* readAfter(records: JournalRecords, seq: number): Generator<NumberedEvent> {
  const first = firstSeqOf(records)
  for (let index = Math.max(0, seq + 1 - first); index < records.events.length; index += 1) {
    yield [first + index, records.events[index]!]
  }
}

/** All events, newest first. */
export function* readBack({ events, lastSeq }: JournalRecords): Generator<NumberedEvent> {
  for (let index = events.length - 1; index >= 0; index -= 1) {
    yield [lastSeq - events.length + 1 + index, events[index]!]
  }
}
