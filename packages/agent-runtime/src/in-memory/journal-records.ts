import type { NewJournalEvent } from '../store/ports/journal.ts'
import { decodeEvents, encodeEvents } from './encoded-events.ts'
import type { EncodedJson } from './encoded-json.ts'

/**
 * A journal. Numbers have no gaps.
 *
 * Events are kept as bytes, block by block, but for the newest: as objects they would live just long enough to be moved
 * to the old generation of the heap, where they are garbage once newer ones have taken their place.
 */
export interface JournalRecords {
  /** Oldest first. Of the first one, events before `firstSeq` are gone. */
  readonly blocks: Block[]
  /** Those behind the blocks, as they were given. */
  readonly recent: NewJournalEvent[]
  /** Number of the oldest event that is there; without any, of the next. */
  firstSeq: number
  lastSeq: number
  /** What a block that is gone was written into: the next one takes its place. */
  spare: EncodedJson | undefined
}

interface Block {
  readonly firstSeq: number
  readonly lastSeq: number
  /** By {@link encodeEvents}. */
  readonly json: EncodedJson
}

/** An event and its number. */
export type NumberedEvent = readonly [seq: number, event: NewJournalEvent]

/** Events that are written together. */
const blockLength = 256

/** A journal without events. */
export const createJournalRecords = (): JournalRecords => ({
  blocks: [],
  recent: [],
  firstSeq: 1,
  lastSeq: 0,
  spare: undefined,
})

/** Adds events behind the others. */
export function addEvents(records: JournalRecords, added: readonly NewJournalEvent[]): void {
  for (const event of added) records.recent.push(event)
  records.lastSeq += added.length
  if (records.recent.length >= blockLength) writeBlock(records)
}

function writeBlock(records: JournalRecords): void {
  const { blocks, recent, lastSeq, spare } = records
  const json = encodeEvents(recent, spare)
  records.spare = undefined
  blocks.push({ firstSeq: lastSeq - recent.length + 1, lastSeq, json })
  recent.length = 0
}

/** Drops the oldest events; `kept` stay. */
export function dropSurplus(records: JournalRecords, kept: number): void {
  dropBefore(records, records.lastSeq - kept + 1)
}

/** Drops all events before a number. */
export function dropBefore(records: JournalRecords, seq: number): void {
  const { blocks, recent, firstSeq, lastSeq } = records
  records.firstSeq = Math.min(Math.max(firstSeq, Math.floor(seq)), lastSeq + 1)
  while (blocks[0] && blocks[0].lastSeq < records.firstSeq) records.spare = blocks.shift()?.json
  const firstRecent = lastSeq - recent.length + 1
  if (records.firstSeq > firstRecent) recent.splice(0, records.firstSeq - firstRecent)
}

/** Events behind a number, oldest first. */
export function* readAfter(records: JournalRecords, seq: number): Generator<NumberedEvent> {
  const { blocks, recent, firstSeq, lastSeq } = records
  const from = Math.max(firstSeq, seq + 1)
  let next = blocks.length
  while (next > 0 && blocks[next - 1]!.lastSeq >= from) next -= 1
  for (; next < blocks.length; next += 1) yield* eventsOf(blocks[next]!, from)
  const firstRecent = lastSeq - recent.length + 1
  for (let number = Math.max(from, firstRecent); number <= lastSeq; number += 1) {
    yield [number, recent[number - firstRecent]!]
  }
}

/** All events, newest first. */
export function* readBack({ blocks, recent, firstSeq, lastSeq }: JournalRecords): Generator<NumberedEvent> {
  for (let index = recent.length - 1; index >= 0; index -= 1) {
    yield [lastSeq - (recent.length - 1 - index), recent[index]!]
  }
  for (let index = blocks.length - 1; index >= 0; index -= 1) {
    yield* eventsOf(blocks[index]!, firstSeq).toReversed()
  }
}

/** Events of a block from a number on. */
function eventsOf(block: Block, from: number): NumberedEvent[] {
  const gone = Math.max(0, from - block.firstSeq)
  return decodeEvents(block.json)
    .slice(gone)
    .map((event, index) => [block.firstSeq + gone + index, event])
}
