import type { Kysely } from 'kysely'
import { CloudStoreError } from '../ports/cloud-store-error.ts'
import type { Migration } from '../sql/migrations.ts'
import type { CloudTables } from '../sql/schema.ts'
import type { Connection } from './connection.ts'
import { toStoreError } from './sqlite-error.ts'
import { inTransaction, NotBegunError } from './transaction.ts'

/**
 * Brings a database to the newest schema: in one transaction, so that of two processes that start together one does
 * it and the other finds it done.
 *
 * @throws {CloudStoreError} `DATABASE_NEWER` when a newer release wrote it; nothing is changed then.
 */
export function migrate(
  connection: Connection,
  builder: Kysely<CloudTables>,
  migrations: readonly Migration[],
): void {
  try {
    inTransaction(connection, () => applyMissing(connection, builder, migrations))
  } catch (error) {
    throw toStoreError(error instanceof NotBegunError ? error.cause : error, 'Preparing the database')
  }
}

function applyMissing(
  connection: Connection,
  builder: Kysely<CloudTables>,
  migrations: readonly Migration[],
): void {
  connection.exec('create table if not exists migrations (version integer primary key, name text not null)')
  const current = readVersion(connection)
  const newest = migrations.at(-1)?.version ?? 0
  if (current > newest) {
    throw new CloudStoreError(
      'DATABASE_NEWER',
      `Opening the database failed: it has version ${current}, this release knows version ${newest}. ` +
        'Use the release that wrote it, or a newer one.',
    )
  }
  for (const migration of migrations) {
    if (migration.version <= current) continue
    for (const statement of migration.build(builder)) connection.exec(statement.compile().sql)
    const sql = 'insert into migrations (version, name) values (?, ?)'
    connection.runStep({ kind: 'write', sql, parameterLists: [[migration.version, migration.name]] })
  }
}

function readVersion(connection: Connection): number {
  const sql = 'select max(version) as version from migrations'
  const [row] = connection.runStep({ kind: 'read', sql, parameterLists: [[]] })
  if (typeof row !== 'object' || row === null || !('version' in row)) return 0
  return typeof row.version === 'number' ? row.version : 0
}
