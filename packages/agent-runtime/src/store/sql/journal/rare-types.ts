import { sql } from 'kysely'

const frequentTypes = new Set(['model.completed', 'tool.called', 'tool.completed'])

/** Whether events of a type are few, so that an index leads to them. The others are met soon wherever one looks. */
export function isRareType(type: string): boolean {
  return !frequentTypes.has(type)
}

/**
 * {@link isRareType} for the rows of an index, and word for word for the queries that are to use it. Not by `in`: of more
 * than two values SQLite makes a table, for each statement that writes an event.
 */
export const rareTypes = sql<boolean>`${sql.join(
  [...frequentTypes].map((type) => sql`type <> ${sql.lit(type)}`),
  sql` and `,
)}`
