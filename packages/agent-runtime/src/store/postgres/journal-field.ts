import { sql } from 'kysely'
import type { JournalField } from '../sql/usage/usage-plans.ts'

/** A field of an event, by the operators of Postgres on JSON. */
export const journalField: JournalField = (name) => sql`data::json ->> ${sql.lit(name)}`
