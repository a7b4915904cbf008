import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { all, compileStatement, first, emit, toCompilable } from '@homeward/kit/sql'
import { fromJson } from './json.ts'
import type { Plan } from './plan.ts'
import type { RuntimeTables } from './schema.ts'

/** What agents and graphs have in common: they are kept in the same way. */
interface Definition {
  readonly id: string
  readonly created_at: string
}

interface DefinitionRow {
  id: string
  created_at: string
  /** JSON of the whole definition. */
  json: string
}

/** Where definitions of a kind are: a table, and its column with the whole definition. */
type DefinitionPlace =
  | { readonly table: 'agents'; readonly column: 'agent' }
  | { readonly table: 'graphs'; readonly column: 'graph' }

/** The verbs of `AgentStore` or of `GraphStore` as plans: one statement each. */
export function createDefinitionPlans<Kept extends Definition>(
  db: Kysely<RuntimeTables>,
  place: DefinitionPlace,
) {
  const statements = createDefinitionStatements(db, place)
  return {
    *insert(definition: Kept): Plan<boolean> {
      return yield* told(yield* first(statements.insert, toRow(definition)))
    },
    *replace(definition: Kept): Plan<boolean> {
      return yield* told(yield* first(statements.replace, toRow(definition)))
    },
    *remove(id: string): Plan<boolean> {
      return yield* told(yield* first(statements.remove, { id }))
    },
    *find(id: string): Plan<Kept | undefined> {
      const row = yield* first(statements.find, { id })
      return row === undefined ? undefined : fromJson<Kept>(row.json)
    },
    *list(): Plan<Kept[]> {
      return (yield* all(statements.list, {})).map(({ json }) => fromJson<Kept>(json))
    },
  }
}

/** Tells of a change, when there was one. */
function* told(row: object | undefined): Plan<boolean> {
  if (row !== undefined) yield* emit({ topic: 'definition' })
  return row !== undefined
}

function createDefinitionStatements(db: Kysely<RuntimeTables>, place: DefinitionPlace) {
  const [table, column] = [sql.table(place.table), sql.ref(place.column)]
  return {
    insert: compileStatement<DefinitionRow, { id: string }>('write', ({ id, created_at, json }) =>
      toCompilable(
        db,
        sql`insert into ${table} (id, created_at, ${column}) values (${id}, ${created_at}, ${json})
          on conflict (id) do nothing returning id`,
      ),
    ),
    replace: compileStatement<DefinitionRow, { id: string }>('write', ({ id, created_at, json }) =>
      toCompilable(
        db,
        sql`update ${table} set created_at = ${created_at}, ${column} = ${json} where id = ${id} returning id`,
      ),
    ),
    remove: compileStatement<{ id: string }, { id: string }>('write', ({ id }) =>
      toCompilable(db, sql`delete from ${table} where id = ${id} returning id`),
    ),
    find: compileStatement<{ id: string }, { json: string }>('read', ({ id }) =>
      toCompilable(db, sql`select ${column} as json from ${table} where id = ${id}`),
    ),
    list: compileStatement<object, { json: string }>('read', () =>
      toCompilable(db, sql`select ${column} as json from ${table} order by created_at, id`),
    ),
  }
}

function toRow(definition: Definition): DefinitionRow {
  const { id, created_at } = definition
  return { id, created_at, json: JSON.stringify(definition) }
}
