import { sql } from 'kysely'

const frequentTypes = new Set(['tool.called', 'tool.completed'])

/** Whether events of a type are few, so that an index leads to them. The others are met soon wherever one looks. */
export function isRareType(type: string): boolean {
  return !frequentTypes.has(type)
}

/** {@link isRareType} for the rows of an index, and word for word for the queries that are to use it. */
export const rareTypes = sql<boolean>`type not in (${sql.join([...frequentTypes].map((type) => sql.lit(type)))})`
