import type { NewJournalEvent } from '../store/ports/journal.ts'
import type { Redactor } from '../secrets/redact.ts'
import { mapStrings, someString } from '../json/json-strings.ts'
import { mayHoldKey, shortestKey, withoutKeys } from './key-shapes.ts'

/** The same event without secrets, and without what looks like a key (A14). */
export function redactEvent(event: NewJournalEvent, redactor: Redactor): NewJournalEvent {
  const { data } = event
  // One look for both: nearly every event holds neither.
  const shortest = Math.min(shortestKey, redactor.shortest)
  if (!someString(data, shortest, (text) => mayHoldKey(text) || redactor.isIn(text))) return event
  return { ...event, data: mapStrings(redactor.json(data), withoutKeys) as typeof data } // an object stays one
}
