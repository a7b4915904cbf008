import type { Compilable, Kysely } from 'kysely'
import { sql } from 'kysely'
import type { RuntimeTables } from '../sql/schema.ts'
import { buildTables } from '../sql/tables.ts'

/** One step of the schema. What was released is never changed: another step is added. */
export interface Migration {
  /** 1, 2, 3, ... */
  readonly version: number
  readonly name: string
  /** SQL statements, in order. */
  build(db: Kysely<RuntimeTables>): readonly string[]
}

/** All steps, oldest first. */
export const sqliteMigrations: readonly Migration[] = [
  {
    version: 1,
    name: 'agents, conversations, runs, journal, memories',
    build: (db) => [...toSql(buildTables(db)), ...buildMemorySearch(db)],
  },
]

function toSql(statements: readonly Compilable[]): readonly string[] {
  return statements.map((statement) => statement.compile().sql)
}

/**
 * The words of memories. They come split already (`toWords`), so that scripts without spaces share one index and one
 * ranking with all others, and `ascii` leaves them as they are. `scope` holds what searches filter by and does not
 * count in the ranking.
 */
function buildMemorySearch(db: Kysely<RuntimeTables>): readonly string[] {
  return [
    sql`create virtual table memory_words using fts5(
      scope, text, content = '', contentless_delete = 1, tokenize = 'ascii')`,
    sql`insert into memory_words (memory_words, rank) values ('rank', 'bm25(0.0, 1.0)')`,
    sql`create virtual table memory_word_counts using fts5vocab(memory_words, 'row')`,
    sql`insert into memory_totals (texts, words) values (0, 0)`,
  ].map((statement) => statement.compile(db).sql)
}
