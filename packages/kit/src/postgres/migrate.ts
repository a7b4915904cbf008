import type { Kysely } from 'kysely'
import { type Migration, missingSteps, toScript } from '../sql/migration.ts'
import type { Connections, OwnConnection } from './connect.ts'
import { toLockNumber } from './locks.ts'
import { toPostgresFailure } from './to-postgres-failure.ts'

/**
 * Brings a schema to the newest version. Each step has a transaction of its own, under a lock, which first reads how far the
 * schema is. So if several processes start together, each step runs once. If a step fails, the steps before it stay.
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
    const lock = toLockNumber(namespace, 'migrations')
    let isMissing = true
    while (isMissing) {
      await client.query(`begin; select pg_advisory_xact_lock(${lock})`)
      isMissing = await applyNext(client, schema, builder, migrations)
      await client.query('commit')
    }
  } catch (error) {
    throw toPostgresFailure(error, 'Opening Postgres')
  } finally {
    // Ends the transaction too, when it failed.
    await client.end().catch(() => {})
  }
}

/** @returns whether more steps are missing. */
async function applyNext<Tables>(
  client: OwnConnection,
  schema: string,
  builder: Kysely<Tables>,
  migrations: readonly Migration<Tables>[],
): Promise<boolean> {
  const attempt = `Opening Postgres failed: the schema "${schema}"`
  const [next, ...later] = missingSteps(attempt, await readVersion(client, schema), migrations)
  if (next === undefined) return false
  await client.query(toScript(next, builder, schema))
  await client.query('insert into migrations (version, name) values ($1, $2)', [next.version, next.name])
  return later.length > 0
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
