import type { Kysely } from 'kysely'
import type { Migration } from '../sql/migration.ts'
import { missingSteps, toScript } from '../sql/migration.ts'
import { type Connection, inTransaction, NotBegunError } from './connection.ts'
import { toSqliteFailure } from './to-sqlite-failure.ts'

/** Empty databases with the newest schema, by their steps: a second database in memory begins as a copy. */
const emptyDatabases = new WeakMap<object, Uint8Array>()

/**
 * Upgrades a database to the newest schema.
 *
 * Each step has its own transaction, which first reads the version of the database. So each step runs once, even if
 * two processes start together. If a step fails, the steps before it stay.
 *
 * @throws {SqlFailure} `newer` or `older` if this release cannot use the database. The database is then unchanged.
 */
export function migrate<Tables>(
  connection: Connection,
  builder: Kysely<Tables>,
  migrations: readonly Migration<Tables>[],
): void {
  try {
    const content = connection.content && isEmpty(connection) ? connection.content : undefined
    const empty = emptyDatabases.get(migrations)
    if (content && empty) return content.replace(empty)
    while (inTransaction(connection, () => applyNext(connection, builder, migrations)));
    if (content) emptyDatabases.set(migrations, content.read())
  } catch (error) {
    throw toSqliteFailure(error instanceof NotBegunError ? error.cause : error, 'Preparing the database')
  }
}

function isEmpty(connection: Connection): boolean {
  const [row] = connection.runStep({
    kind: 'read',
    sql: 'pragma schema_version',
    parameterLists: [[]],
    counts: false,
  })
  return typeof row === 'object' && row !== null && 'schema_version' in row && row.schema_version === 0
}

/** @returns whether more steps are missing. */
function applyNext<Tables>(
  connection: Connection,
  builder: Kysely<Tables>,
  migrations: readonly Migration<Tables>[],
): boolean {
  connection.runScript(
    'create table if not exists migrations (version integer primary key, name text not null)',
  )
  const attempt = 'Opening the database failed: it'
  const [next, ...later] = missingSteps(attempt, readVersion(connection), migrations)
  if (next === undefined) return false
  connection.runScript(toScript(next, builder, 'main'))
  connection.runStep({
    kind: 'write',
    sql: 'insert into migrations (version, name) values (?, ?)',
    parameterLists: [[next.version, next.name]],
    counts: false,
  })
  return later.length > 0
}

function readVersion(connection: Connection): number {
  const sql = 'select max(version) as version from migrations'
  const [row] = connection.runStep({ kind: 'read', sql, parameterLists: [[]], counts: false })
  if (typeof row !== 'object' || row === null || !('version' in row)) return 0
  return typeof row.version === 'number' ? row.version : 0
}
