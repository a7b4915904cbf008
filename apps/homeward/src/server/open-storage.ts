import type { RuntimeOptions } from '@homeward/agent-runtime'
import type { CloudStore } from '@homeward/cloud-core'
import type { Settings } from '../settings/settings.ts'

/**
 * Where agents keep what they keep, and how their workers hear of tasks: in Postgres, which several servers may share,
 * or, without an address, in the data home.
 *
 * @throws {RuntimeError} `storage_error` when Postgres cannot be reached.
 */
export async function openStorage({
  databaseUrl,
  databaseDirectUrl,
}: Pick<Settings, 'databaseUrl' | 'databaseDirectUrl'>): Promise<Pick<RuntimeOptions, 'store' | 'queue'>> {
  if (databaseUrl === undefined) return {}
  const [{ createPostgresStore }, { createGraphileQueue }] = await Promise.all([
    import('@homeward/agent-runtime/postgres'),
    import('@homeward/agent-runtime/queue/graphile'),
  ])
  const direct = databaseDirectUrl !== undefined && { directConnectionString: databaseDirectUrl }
  const store = await createPostgresStore({ connectionString: databaseUrl, ...direct })
  // Its workers listen on every connection.
  return { store, queue: createGraphileQueue({ connectionString: databaseDirectUrl ?? databaseUrl }) }
}

/**
 * Where the device cloud keeps devices, searches and upload requests: in the same Postgres, or undefined for the SQLite
 * file of the data home. When devices were last seen may be in another database. Uploaded files stay where they are.
 *
 * @throws {CloudStoreError} `DATABASE_UNAVAILABLE` when Postgres cannot be reached.
 */
export async function openCloudStore({
  databaseUrl,
  databaseDirectUrl,
  presenceDatabaseUrl,
}: Pick<Settings, 'databaseUrl' | 'databaseDirectUrl' | 'presenceDatabaseUrl'>): Promise<
  CloudStore | undefined
> {
  if (databaseUrl === undefined) return undefined
  const { createPostgresStore } = await import('@homeward/cloud-core/postgres')
  return createPostgresStore({
    connectionString: databaseUrl,
    ...(databaseDirectUrl !== undefined && { directConnectionString: databaseDirectUrl }),
    ...(presenceDatabaseUrl !== undefined && { presence: { connectionString: presenceDatabaseUrl } }),
  })
}
