import type { NewJournalEvent } from '../ports/journal.ts'
import type { Redactor } from '../runs/redact.ts'
import { mapStrings, someString } from '../json-strings.ts'
import { mayHoldKey, withoutKeys } from './key-shapes.ts'

/** The same event without secrets, and without what looks like a key (A14). */
export function redactEvent(event: NewJournalEvent, redactor: Redactor): NewJournalEvent {
  const data = redactor.json(event.data)
  if (!someString(data, mayHoldKey)) return data === event.data ? event : { ...event, data }
  return { ...event, data: mapStrings(data, withoutKeys) as typeof data } // an object stays one
}
