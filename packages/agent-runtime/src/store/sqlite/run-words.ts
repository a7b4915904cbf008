import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { buildOnce, change, compileStatement, toCompilable } from '@homeward/kit/sql'
import type { RunWords } from '../sql/runs/run-words.ts'
import type { RuntimeTables } from '../sql/schema.ts'

/** The words of runs in a full-text index without the texts; its rows have the numbers of the runs. */
export function createSqliteRunWords(db: Kysely<RuntimeTables>): RunWords {
  const statements = buildOnce(db, createStatements)
  return {
    *writeRunWords(id, words) {
      yield* change(statements.write, { id, words: words.join(' ') })
    },
    *removeRunWords(id) {
      yield* change(statements.remove, { id })
    },
    toRunMatch: (words) => words.map((word) => `"${word}"`).join(' AND '),
    // The plus keeps the list in the order of its index: sorting would read every run that has the words.
    isRunMatch: (match) =>
      sql<boolean>`+runs.seq in (select rowid from run_words where run_words match ${match})`,
  }
}

function createStatements(db: Kysely<RuntimeTables>) {
  return {
    write: compileStatement<{ id: string; words: string }, unknown>('write', ({ id, words }) =>
      toCompilable(
        db,
        sql`insert or replace into run_words (rowid, words) select seq, ${words} from runs where id = ${id}`,
      ),
    ),
    remove: compileStatement<{ id: string }, unknown>('write', ({ id }) =>
      toCompilable(db, sql`delete from run_words where rowid = (select seq from runs where id = ${id})`),
    ),
  }
}
