import type { Kysely } from 'kysely'
import { type Migration, missingSteps, toScript } from '../sql/migration.ts'
import type { Connections, OwnConnection } from './connect.ts'
import { toLockNumber } from './locks.ts'
import { toPostgresFailure } from './to-postgres-failure.ts'

/**
 * Brings a schema to the newest version: in one transaction and under a lock, so that of several processes that start
 * together one does it and the others find it done.
 *
 * @param namespace what the lock is named after: see `toLockNumber`
 * @throws {SqlFailure} `newer` or `older` for a schema that this release cannot use, `unavailable` when the server cannot be
 * reached; nothing is changed then.
 */
export async function migrate<Tables>(
  { schema, createClient }: Connections,
  builder: Kysely<Tables>,
  migrations: readonly Migration<Tables>[],
  namespace: string = schema,
): Promise<void> {
  // An index over many rows may take longer than any other statement.
  const client = createClient({ statement_timeout: 0, query_timeout: 0 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(`begin; select pg_advisory_xact_lock(${toLockNumber(namespace, 'migrations')})`)
    await applyMissing(client, schema, builder, migrations)
    await client.query('commit')
  } catch (error) {
    throw toPostgresFailure(error, 'Opening Postgres')
  } finally {
    // Ends the transaction too, when it failed.
    await client.end().catch(() => {})
  }
}

async function applyMissing<Tables>(
  client: OwnConnection,
  schema: string,
  builder: Kysely<Tables>,
  migrations: readonly Migration<Tables>[],
): Promise<void> {
  const attempt = `Opening Postgres failed: the schema "${schema}"`
  for (const migration of missingSteps(attempt, await readVersion(client, schema), migrations)) {
    await client.query(toScript(migration, builder, schema))
    const { version, name } = migration
    await client.query('insert into migrations (version, name) values ($1, $2)', [version, name])
  }
}

/** The version of the schema, which is made when it is missing; a user without the right to make one needs none then. */
async function readVersion(client: OwnConnection, schema: string): Promise<number> {
  const found = await client.query('select 1 from pg_namespace where nspname = $1', [schema])
  if (found.rowCount === 0) await client.query(`create schema ${schema}`)
  const table = await client.query('select 1 from pg_tables where schemaname = $1 and tablename = $2', [
    schema,
    'migrations',
  ])
  if (table.rowCount === 0) {
    await client.query('create table migrations (version integer primary key, name text not null)')
  }
  const { rows } = await client.query('select max(version) as version from migrations')
  const [row] = rows as readonly { readonly version: number | null }[] // of the one column that is selected
  return row?.version ?? 0
}
