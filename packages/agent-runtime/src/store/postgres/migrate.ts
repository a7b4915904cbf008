import type { Kysely } from 'kysely'
import type { Client } from 'pg'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { RuntimeTables } from '../sql/schema.ts'
import type { Connections } from './connect.ts'
import { toLockNumber } from './locks.ts'
import type { Migration } from './migrations.ts'
import { toStoreError } from './postgres-error.ts'

/**
 * Brings a database to the newest schema: in one transaction and under a lock, so that of several processes that start
 * together one does it and the others find it done.
 *
 * @throws {RuntimeError} `storage_error` when a newer release wrote it, or it cannot be reached; nothing is changed then.
 */
export async function migrate(
  { schema, createClient }: Connections,
  builder: Kysely<RuntimeTables>,
  migrations: readonly Migration[],
): Promise<void> {
  // An index over much that is there may take longer than any other statement.
  const client = createClient({ statement_timeout: 0, query_timeout: 0 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(`begin; select pg_advisory_xact_lock(${toLockNumber(schema, 'migrations')})`)
    await applyMissing(client, schema, builder, migrations)
    await client.query('commit')
  } catch (error) {
    throw toStoreError(error, 'Opening Postgres')
  } finally {
    // Ends the transaction too, when it failed.
    await client.end().catch(() => {})
  }
}

async function applyMissing(
  client: Client,
  schema: string,
  builder: Kysely<RuntimeTables>,
  migrations: readonly Migration[],
): Promise<void> {
  const current = await readVersion(client, schema)
  const newest = migrations.at(-1)?.version ?? 0
  if (current > newest) {
    throw new RuntimeError(
      'storage_error',
      `Opening Postgres failed: the schema "${schema}" has version ${current}, this release knows version ${newest}. ` +
        'Use the release that wrote it, or a newer one.',
    )
  }
  const oldest = migrations[0]?.version ?? 0
  if (current > 0 && current < oldest) {
    throw new RuntimeError(
      'storage_error',
      `Opening Postgres failed: the schema "${schema}" was written by an older development version (version ` +
        `${current}, this release needs ${oldest}). Drop the schema, or set "schema" to the name of another one.`,
    )
  }
  for (const migration of migrations) {
    if (migration.version <= current) continue
    await client.query(migration.build(builder, schema).join(';\n'))
    const { version, name } = migration
    await client.query('insert into migrations (version, name) values ($1, $2)', [version, name])
  }
}

/** The version of the schema, which is made when it is missing; a user without the right to make one needs none then. */
async function readVersion(client: Client, schema: string): Promise<number> {
  const found = await client.query('select 1 from pg_namespace where nspname = $1', [schema])
  if (found.rowCount === 0) await client.query(`create schema ${schema}`)
  const table = await client.query('select 1 from pg_tables where schemaname = $1 and tablename = $2', [
    schema,
    'migrations',
  ])
  if (table.rowCount === 0) {
    await client.query('create table migrations (version integer primary key, name text not null)')
  }
  const versions = await client.query<{ version: number | null }>(
    'select max(version) as version from migrations',
  )
  return versions.rows[0]?.version ?? 0
}
