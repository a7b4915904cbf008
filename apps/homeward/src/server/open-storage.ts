import type { RuntimeOptions } from '@homeward/agent-runtime'
import type { CloudStore } from '@homeward/cloud-core'
import type { Settings } from '../settings/settings.ts'

/**
 * Where agents keep what they keep, and how their workers hear of tasks: in Postgres, which several servers may share,
 * or, without an address, in the data home.
 *
 * @throws {RuntimeError} `storage_error` when Postgres cannot be reached.
 */
export async function openStorage(
  databaseUrl: string | undefined,
): Promise<Pick<RuntimeOptions, 'store' | 'queue'>> {
  if (databaseUrl === undefined) return {}
  const [{ createPostgresStore }, { createGraphileQueue }] = await Promise.all([
    import('@homeward/agent-runtime/postgres'),
    import('@homeward/agent-runtime/queue/graphile'),
  ])
  const store = await createPostgresStore({ connectionString: databaseUrl })
  return { store, queue: createGraphileQueue({ connectionString: databaseUrl }) }
}

/**
 * Where the device cloud keeps devices, searches and upload requests: in the same Postgres, or undefined for the SQLite
 * file of the data home. When devices were last seen may be in another database. Uploaded files stay where they are.
 *
 * @throws {CloudStoreError} `DATABASE_UNAVAILABLE` when Postgres cannot be reached.
 */
export async function openCloudStore({
  databaseUrl,
  presenceDatabaseUrl,
}: Pick<Settings, 'databaseUrl' | 'presenceDatabaseUrl'>): Promise<CloudStore | undefined> {
  if (databaseUrl === undefined) return undefined
  const { createPostgresStore } = await import('@homeward/cloud-core/postgres')
  return createPostgresStore({
    connectionString: databaseUrl,
    ...(presenceDatabaseUrl !== undefined && { presence: { connectionString: presenceDatabaseUrl } }),
  })
}
