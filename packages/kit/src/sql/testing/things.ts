import type { Kysely } from 'kysely'
import type { Migration } from '../migration.ts'
import { all, first, type Plan, emit } from '../plan.ts'
import { compileStatement } from '../plan.ts'

/** Tables that tests write to, in either database. */
export interface ThingTables {
  things: { id: string; note: string }
  parts: { id: string; thing_id: string }
}

/** What the plans tell. */
export interface ThingSignal {
  readonly topic: 'thing' | 'missed'
  readonly id?: string
}

/** Builds {@link ThingTables}. */
export const thingMigrations: readonly Migration<ThingTables>[] = [
  {
    version: 1,
    name: 'things',
    build: ({ schema }) => [
      schema
        .createTable('things')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('note', 'text', (column) => column.notNull()),
    ],
  },
  {
    version: 2,
    name: 'parts of things',
    build: ({ schema }) => [
      schema
        .createTable('parts')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('thing_id', 'text', (column) => column.notNull().references('things.id')),
    ],
  },
]

/** Verbs over {@link ThingTables}. */
export function createThingPlans(db: Kysely<ThingTables>) {
  const insert = compileStatement<{ id: string; note: string }, unknown>('write', (row) =>
    db.insertInto('things').values({ id: row.id, note: row.note }),
  )
  const update = compileStatement<{ id: string; note: string }, unknown>('write', ({ id, note }) =>
    db.updateTable('things').set({ note }).where('id', '=', id),
  )
  const insertPart = compileStatement<{ id: string; thingId: string }, unknown>('write', (row) =>
    db.insertInto('parts').values({ id: row.id, thing_id: row.thingId }),
  )
  const find = compileStatement<{ id: string }, { note: string }>('read', ({ id }) =>
    db.selectFrom('things').select('note').where('id', '=', id),
  )
  const list = compileStatement<object, { id: string }>('read', () =>
    db.selectFrom('things').select('id').orderBy('id'),
  )
  return {
    *insert(id: string, note = ''): Plan<string, ThingSignal> {
      yield* all(insert, { id, note })
      yield* emit({ topic: 'thing', id })
      return id
    },
    *update(id: string, note: string): Plan<void> {
      yield* all(update, { id, note })
    },
    *insertPart(id: string, thingId: string): Plan<void> {
      yield* all(insertPart, { id, thingId })
    },
    *find(id: string): Plan<string | undefined> {
      return (yield* first(find, { id }))?.note
    },
    *list(): Plan<readonly string[]> {
      return (yield* all(list, {})).map(({ id }) => id)
    },
  }
}
