import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { buildOnce, change, compileStatement, toCompilable } from '@homeward/kit/sql'
import type { RunWords } from '../sql/runs/run-words.ts'
import type { RuntimeTables } from '../sql/schema.ts'
import { toQueryOfAll, toWordSet } from './lexemes.ts'

/** The words of runs as a `tsvector` without places, in a table of its own: a run's row stays as long as it was. */
export function createPostgresRunWords(db: Kysely<RuntimeTables>): RunWords {
  const statements = buildOnce(db, createStatements)
  return {
    *writeRunWords(id, words) {
      yield* change(statements.write, { id, words: toWordSet(words) })
    },
    *removeRunWords(id) {
      yield* change(statements.remove, { id })
    },
    toRunMatch: toQueryOfAll,
    isRunMatch: (match) =>
      sql<boolean>`runs.seq in (select seq from run_words where words @@ cast(${match} as tsquery))`,
  }
}

function createStatements(db: Kysely<RuntimeTables>) {
  return {
    write: compileStatement<{ id: string; words: string }, unknown>('write', ({ id, words }) =>
      toCompilable(
        db,
        sql`insert into run_words (seq, words) select seq, cast(${words} as tsvector) from runs where id = ${id}
          on conflict (seq) do update set words = excluded.words`,
      ),
    ),
    remove: compileStatement<{ id: string }, unknown>('write', ({ id }) =>
      toCompilable(db, sql`delete from run_words where seq = (select seq from runs where id = ${id})`),
    ),
  }
}
