import type { Compilable, Kysely } from 'kysely'
import { SqlFailure } from './sql-failure.ts'

/**
 * One step of a schema. The first step of a list builds everything from an empty database. What was released is never
 * changed: another step is added.
 */
export interface Migration<Tables> {
  /** Grows from step to step. */
  readonly version: number
  readonly name: string
  /** Statements, in order. `schema` is the name of the schema that the tables are in. */
  build(db: Kysely<Tables>, schema: string): readonly (string | Compilable)[]
}

/**
 * The steps that a database has not had, oldest first.
 *
 * @param attempt what the error begins with, such as `Opening the database failed: it`
 * @param current the version of the database; 0 for one that is empty
 * @throws {SqlFailure} `newer` for a version that is not known, `older` for one from before the first step.
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

/** The statements of one step, as a database takes them together. */
export function toScript<Tables>(migration: Migration<Tables>, db: Kysely<Tables>, schema: string): string {
  return migration
    .build(db, schema)
    .map((statement) => (typeof statement === 'string' ? statement : statement.compile().sql))
    .join(';\n')
}
