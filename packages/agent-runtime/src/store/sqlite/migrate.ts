import type { Kysely } from 'kysely'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { RuntimeTables } from '../sql/schema.ts'
import type { Connection } from './connection.ts'
import type { Migration } from './migrations.ts'
import { toStoreError } from './sqlite-error.ts'
import { inTransaction, NotBegunError } from './transaction.ts'

/**
 * Brings a database to the newest schema: in one transaction, so that of two processes that start together one does
 * it and the other finds it done.
 *
 * @throws {RuntimeError} `storage_error` when a newer release wrote it; nothing is changed then.
 */
export function migrate(
  connection: Connection,
  builder: Kysely<RuntimeTables>,
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
  builder: Kysely<RuntimeTables>,
  migrations: readonly Migration[],
): void {
  connection.exec('create table if not exists migrations (version integer primary key, name text not null)')
  const current = readVersion(connection)
  const newest = migrations.at(-1)?.version ?? 0
  if (current > newest) {
    throw new RuntimeError(
      'storage_error',
      `Opening the database failed: it has version ${current}, this release knows version ${newest}. ` +
        'Use the release that wrote it, or a newer one.',
    )
  }
  for (const migration of migrations) {
    if (migration.version <= current) continue
    for (const statement of migration.build(builder)) connection.exec(statement)
    if (migration.change !== undefined) connection.runPlan(migration.change(builder))
    const sql = 'insert into migrations (version, name) values (?, ?)'
    connection.runStep({
      kind: 'write',
      sql,
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
