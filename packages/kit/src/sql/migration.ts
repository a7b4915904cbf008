import type { Compilable, Kysely } from 'kysely'
import { SqlFailure } from './sql-failure.ts'

/**
 * One step of a schema migration. The first step builds everything from an empty database. A released step never
 * changes; add another step instead.
 */
export interface Migration<Tables> {
  /** Version of the schema after this step. Increases with each step. */
  readonly version: number
  readonly name: string
  /** Returns the statements, in order. `schema` is the name of the schema for the tables. */
  build(db: Kysely<Tables>, schema: string): readonly (string | Compilable)[]
}

/**
 * Returns the migration steps that a database still needs, oldest first.
 *
 * @param attempt beginning of the error, such as `Opening the database failed: it`
 * @param current version of the database; 0 if it is empty
 * @throws {SqlFailure} `newer` if a newer release wrote the database, `older` if it is from before the first step.
 */
export function missingSteps<Tables>(
  attempt: string,
  current: number,
  migrations: readonly Migration<Tables>[],
): readonly Migration<Tables>[] {
  const oldest = migrations[0]?.version ?? 0
  const newest = migrations.at(-1)?.version ?? 0
  if (current > newest) {
    throw new SqlFailure(
      'newer',
      `${attempt} has schema version ${current}, but this release supports at most ${newest}. ` +
        'Use the release that wrote it, or a newer release.',
    )
  }
  if (current > 0 && current < oldest) {
    throw new SqlFailure(
      'older',
      `${attempt} was written by an older development version (schema ${current}, this release needs at least ${oldest}). ` +
        'Move or delete it to start with an empty database.',
    )
  }
  return migrations.filter(({ version }) => version > current)
}

/** Joins the statements of a step into one script. */
export function toScript<Tables>(migration: Migration<Tables>, db: Kysely<Tables>, schema: string): string {
  return migration
    .build(db, schema)
    .map((statement) => (typeof statement === 'string' ? statement : statement.compile().sql))
    .join(';\n')
}
