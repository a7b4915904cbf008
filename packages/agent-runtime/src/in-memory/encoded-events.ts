import type { NewJournalEvent } from '../store/ports/journal.ts'
import { decodeJson, encodeJson, type EncodedJson } from './encoded-json.ts'

/**
 * An event as it is kept. Events of a run come one behind the other, most of them in the same millisecond: what is as in
 * the row before is left out, which is half of the bytes, and a third of the time to write.
 */
type EventRow = readonly [
  type: NewJournalEvent['type'],
  data: NewJournalEvent['data'],
  /** Left out when run and time are those of the row before. */
  timestamp?: string,
  /** Left out when it is that of the row before; null is none. */
  runId?: string | null,
]

/** Writes events as bytes: into those of `spare`, which nobody reads any more, when they are enough. */
export function encodeEvents(events: readonly NewJournalEvent[], spare?: EncodedJson): EncodedJson {
  const rows: EventRow[] = []
  let time: string | undefined
  let run: string | undefined
  for (const { type, data, timestamp, runId } of events) {
    if (runId !== run) rows.push([type, data, timestamp, runId ?? null])
    else rows.push(timestamp === time ? [type, data] : [type, data, timestamp])
    time = timestamp
    run = runId
  }
  return encodeJson(rows, spare)
}

/** Reads what {@link encodeEvents} wrote, each time anew. */
export function decodeEvents(json: EncodedJson): NewJournalEvent[] {
  let time = ''
  let run: string | null = null
  return decodeJson<EventRow[]>(json).map(([type, data, timestamp = time, runId = run]) => {
    time = timestamp
    run = runId
    return { type, timestamp, ...(runId !== null && { runId }), data }
  })
}
