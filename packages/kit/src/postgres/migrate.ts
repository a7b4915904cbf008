import type { Kysely } from 'kysely'
import { type Migration, missingSteps, toScript } from '../sql/migration.ts'
import { SqlFailure } from '../sql/sql-failure.ts'
import type { Connections, OwnConnection, PooledConnection } from './connect.ts'
import { toLockNumber } from './locks.ts'
import { toPostgresFailure } from './to-postgres-failure.ts'

/**
 * Upgrades a schema to the newest version.
 *
 * Each step has its own transaction under a lock, which first reads the version of the schema. So each step runs
 * once, even if several processes start together. If a step fails, the steps before it stay.
 *
 * @param namespace name of the lock: see `toLockNumber`
 * @throws {SqlFailure} `newer` or `older` if this release cannot use the schema, `unavailable` if the server cannot
 * be reached. The schema is then unchanged.
 */
export async function migrate<Tables>(
  connections: Connections,
  builder: Kysely<Tables>,
  migrations: readonly Migration<Tables>[],
  namespace: string = connections.schema,
): Promise<void> {
  const { schema } = connections
  const lock = `begin; select pg_advisory_xact_lock(${toLockNumber(namespace, 'migrations')})`
  let client: OwnConnection | undefined
  try {
    client = await connectClient(connections)
    if (!(await hasSchema(client, schema))) {
      await client.query(lock)
      if (!(await hasSchema(client, schema))) await client.query(`create schema ${schema}`)
      await client.query('commit')
    }
    await assertSchema(connections, client)
    for (let isMissing = true; isMissing;) {
      await client.query(lock)
      isMissing = await applyNext(client, schema, builder, migrations)
      await client.query('commit')
    }
  } catch (error) {
    throw toPostgresFailure(error, 'Opening Postgres')
  } finally {
    // Ends the transaction too, when it failed.
    await client?.end().catch(() => {})
  }
}

/** A connection for migrations, whose statements may take long: an index over many rows does. */
async function connectClient(connections: Connections): Promise<OwnConnection> {
  const open = async () => {
    const client = connections.createClient({ statement_timeout: 0, query_timeout: 0 })
    client.on('error', () => {})
    await client.connect()
    return client
  }
  try {
    return await open()
  } catch (error) {
    if (!isRefusedParameter(error)) throw error
    connections.leaveOutParameters()
    return await open()
  }
}

/** What PgBouncer says of the search path and the time limit that are sent at the start of a connection. */
const isRefusedParameter = (error: unknown): boolean =>
  error instanceof Error && /unsupported startup parameter/i.test(error.message)

/**
 * Makes sure that statements reach the schema. A pooler between may drop the search path without a word: the tables would be
 * made, or found, in another schema.
 */
async function assertSchema(connections: Connections, direct: OwnConnection): Promise<void> {
  const { schema } = connections
  const pooled = await connectPooled(connections)
  try {
    for (const connection of [direct, pooled]) {
      const { rows } = await connection.query({
        text: 'select current_schema() as schema, current_user as "user", current_database() as database',
      })
      const [found] = rows as readonly { schema: string | null; user: string; database: string }[] // as it is selected
      if (found === undefined || found.schema === schema) continue
      throw new SqlFailure(
        'invalid',
        `Opening Postgres failed: statements would reach the schema "${found.schema}" instead of "${schema}", because a ` +
          `pooler such as PgBouncer drops the search path. Run: alter role "${found.user}" in database "${found.database}" ` +
          `set search_path = ${schema}. Each schema needs a role of its own then.`,
      )
    }
  } finally {
    pooled.release()
  }
}

async function connectPooled({ pool, leaveOutParameters }: Connections): Promise<PooledConnection> {
  try {
    return await pool.connect()
  } catch (error) {
    if (!isRefusedParameter(error)) throw error
    leaveOutParameters()
    return await pool.connect()
  }
}

async function hasSchema(client: OwnConnection, schema: string): Promise<boolean> {
  const found = await client.query('select 1 from pg_namespace where nspname = $1', [schema])
  return found.rowCount !== 0
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

/** The version of the schema. */
async function readVersion(client: OwnConnection, schema: string): Promise<number> {
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
