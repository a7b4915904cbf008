import type { NewJournalEvent } from '../ports/journal.ts'
import type { Redactor } from '../runs/redact.ts'
import { mapStrings, someString } from '../json-strings.ts'
import { mayHoldKey, withoutKeys } from './key-shapes.ts'

/** The same event without secrets, and without what looks like a key (A14). */
export function redactEvent(event: NewJournalEvent, redactor: Redactor): NewJournalEvent {
  const { data } = event
  // One look for both: nearly every event holds neither.
  if (!someString(data, (text) => mayHoldKey(text) || redactor.text(text) !== text)) return event
  return { ...event, data: mapStrings(redactor.json(data), withoutKeys) as typeof data } // an object stays one
}
