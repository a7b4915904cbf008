import { sql } from 'kysely'
import type { JournalField } from '../sql/usage/usage-plans.ts'

/** A field of an event, by SQLite's functions on JSON. */
export const journalField: JournalField = (name) => sql`json_extract(data, ${sql.lit(`$.${name}`)})`
