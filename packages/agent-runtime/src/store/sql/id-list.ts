import { sql } from 'kysely'

/** Stands in no id of an agent or a graph. */
const mark = '|'

/** Ids of agents or graphs as one parameter, however many there are. */
export const toList = (ids: readonly string[] = []): string => mark + ids.map((id) => id + mark).join('')

/** Whether the id in a column is in a {@link toList}. */
export const isInList = (column: string, list: string) =>
  sql<boolean>`replace(${list}, ${sql.lit(mark)} || ${sql.ref(column)} || ${sql.lit(mark)}, '') <> ${list}`
