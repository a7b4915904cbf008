import type { JournalEventType, JsonObject } from '@homeward/contract/agent-platform'
import type { NewJournalEvent } from '../ports/journal.ts'
import { decodeJson, encodeJson, type EncodedJson } from './encoded-json.ts'

/** Few enough that reading the newest events is quick, so many that a page's own fields do not count. */
const eventsOfPage = 64

/** Events one behind the other, column by column: what readers look for stands here, the rest is bytes. */
interface JournalPage {
  readonly firstSeq: number
  readonly types: readonly JournalEventType[]
  readonly runIds: readonly (string | undefined)[]
  /** With a space between them: one text, instead of one for each event. */
  readonly timestamps: string
  /** Of `JsonObject[]`. */
  readonly data: EncodedJson
}

/** A journal. Numbers have no gaps. */
export interface JournalRecords {
  /** Oldest first. */
  readonly pages: JournalPage[]
  /** The newest, until they are a page. */
  readonly newest: NewJournalEvent[]
  lastSeq: number
}

/** Which events a reader looks for; it may get others too. Absent fields match everything. */
export interface Wanted {
  readonly types?: readonly string[] | undefined
  readonly runId?: string | undefined
}

/** An event and its number. */
export type NumberedEvent = readonly [seq: number, event: NewJournalEvent]

/** A journal without events. */
export const createJournalRecords = (): JournalRecords => ({ pages: [], newest: [], lastSeq: 0 })

/** Number of the oldest event that is there; without any, of the next. */
export function firstSeqOf({ pages, newest, lastSeq }: JournalRecords): number {
  return pages[0]?.firstSeq ?? lastSeq - newest.length + 1
}

/** Adds events behind the others. */
export function addEvents(records: JournalRecords, events: readonly NewJournalEvent[]): void {
  const { newest } = records
  for (const event of events) {
    newest.push(event)
    records.lastSeq += 1
    if (newest.length < eventsOfPage) continue
    records.pages.push(toPage(newest, records.lastSeq - newest.length + 1))
    newest.length = 0
  }
}

/** Drops the oldest events; at least `kept` stay, and less than a page more. */
export function dropSurplus(records: JournalRecords, kept: number): void {
  const { pages, newest, lastSeq } = records
  const mayGo = (page: JournalPage | undefined) =>
    page && lastSeq - page.firstSeq - page.types.length + 1 >= kept
  let count = 0
  while (mayGo(pages[count])) count += 1
  if (count > 0) pages.splice(0, count)
  if (pages.length === 0 && newest.length > kept) newest.splice(0, newest.length - kept)
}

/** Drops all events before a number. */
export function dropBefore(records: JournalRecords, seq: number): void {
  const { pages, newest, lastSeq } = records
  while (pages[0] && pages[0].firstSeq + pages[0].types.length <= seq) pages.shift()
  const [page] = pages
  if (page === undefined) newest.splice(0, Math.max(0, seq - (lastSeq - newest.length + 1)))
  else if (page.firstSeq < seq) pages[0] = toPage(eventsIn(page).slice(seq - page.firstSeq), seq)
}

/** Events behind a number, oldest first. */
export function* readAfter(records: JournalRecords, seq: number, wanted: Wanted): Generator<NumberedEvent> {
  const { pages, newest, lastSeq } = records
  for (let place = findPage(pages, seq + 1); place < pages.length; place += 1) {
    const page = pages[place]
    if (!page || !mayHold(page, wanted)) continue
    for (const [index, event] of eventsIn(page).entries()) {
      if (page.firstSeq + index > seq) yield [page.firstSeq + index, event]
    }
  }
  const first = lastSeq - newest.length + 1
  for (let index = Math.max(0, seq + 1 - first); index < newest.length; index += 1) {
    yield [first + index, newest[index]!]
  }
}

/** All events, newest first. */
export function* readBack(
  { pages, newest, lastSeq }: JournalRecords,
  wanted: Wanted,
): Generator<NumberedEvent> {
  for (let index = newest.length - 1; index >= 0; index -= 1) {
    yield [lastSeq - newest.length + 1 + index, newest[index]!]
  }
  for (const page of pages.toReversed()) {
    if (!mayHold(page, wanted)) continue
    const events = eventsIn(page)
    for (let index = events.length - 1; index >= 0; index -= 1) yield [page.firstSeq + index, events[index]!]
  }
}

/** Place of the first page that reaches to a number. */
function findPage(pages: readonly JournalPage[], seq: number): number {
  let low = 0
  let high = pages.length
  while (low < high) {
    const middle = (low + high) >> 1
    const page = pages[middle]
    if (page && page.firstSeq + page.types.length <= seq) low = middle + 1
    else high = middle
  }
  return low
}

function mayHold({ types: all, runIds }: JournalPage, { types, runId }: Wanted): boolean {
  return (
    (runId === undefined || runIds.includes(runId)) &&
    (types === undefined || all.some((type) => types.includes(type)))
  )
}

function toPage(events: readonly NewJournalEvent[], firstSeq: number): JournalPage {
  return {
    firstSeq,
    types: events.map(({ type }) => type),
    runIds: events.map(({ runId }) => runId),
    timestamps: events.map(({ timestamp }) => timestamp).join(' '),
    data: encodeJson(events.map(({ data }) => data)),
  }
}

function eventsIn({ types, runIds, timestamps, data }: JournalPage): NewJournalEvent[] {
  const times = timestamps.split(' ')
  return decodeJson<JsonObject[]>(data).map((one, index) => {
    const runId = runIds[index]
    const event = { type: types[index]!, timestamp: times[index]!, data: one }
    return runId === undefined ? event : { ...event, runId }
  })
}
