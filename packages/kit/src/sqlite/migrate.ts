import type { Kysely } from 'kysely'
import type { Migration } from '../sql/migration.ts'
import { missingSteps, toScript } from '../sql/migration.ts'
import { type Connection, inTransaction, NotBegunError } from './connection.ts'
import { toSqliteFailure } from './to-sqlite-failure.ts'

/**
 * Brings a database to the newest schema: in one transaction, so that of two processes that start together one does
 * it and the other finds it done.
 *
 * @throws {SqlFailure} `newer` or `older` for a database that this release cannot use; nothing is changed then.
 */
export function migrate<Tables>(
  connection: Connection,
  builder: Kysely<Tables>,
  migrations: readonly Migration<Tables>[],
): void {
  try {
    inTransaction(connection, () => applyMissing(connection, builder, migrations))
  } catch (error) {
    throw toSqliteFailure(error instanceof NotBegunError ? error.cause : error, 'Preparing the database')
  }
}

function applyMissing<Tables>(
  connection: Connection,
  builder: Kysely<Tables>,
  migrations: readonly Migration<Tables>[],
): void {
  connection.runScript(
    'create table if not exists migrations (version integer primary key, name text not null)',
  )
  const attempt = 'Opening the database failed: it'
  for (const migration of missingSteps(attempt, readVersion(connection), migrations)) {
    connection.runScript(toScript(migration, builder, 'main'))
    connection.runStep({
      kind: 'write',
      sql: 'insert into migrations (version, name) values (?, ?)',
      parameterLists: [[migration.version, migration.name]],
      counts: false,
    })
  }
}

function readVersion(connection: Connection): number {
  const sql = 'select max(version) as version from migrations'
  const [row] = connection.runStep({ kind: 'read', sql, parameterLists: [[]], counts: false })
  if (typeof row !== 'object' || row === null || !('version' in row)) return 0
  return typeof row.version === 'number' ? row.version : 0
}
