import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { connect, type Connections, type PooledConnection } from '@homeward/kit/postgres'
import type { TestDatabase } from '../../../../tests/postgres/test-database.ts'
import { createTestDatabase } from '../../../../tests/postgres/test-database.ts'
import type { CloudStore } from '../ports/cloud-store.ts'
import type { CrashHarness, OnCrashPoint } from '../testing/index.ts'
import { crashConformance } from '../testing/index.ts'
import { connectionDefaults } from './connection-settings.ts'
import { createPostgresStore } from './index.ts'
import { openStoreOver } from './create-postgres-store.ts'
import { emptySchema } from './testing/empty-schema.ts'

// Each point is a process of its own: all of them in `npm run soak`.
const every = Number(process.env['CRASH_POINTS_EVERY'] ?? 40)
vi.setConfig({ testTimeout: every > 1 ? 300_000 : 1_800_000, hookTimeout: 60_000 })

const schema = 'crashes'
const applicationName = 'doomed'
let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

/** Connections whose process can be killed before and behind each statement, each begin and each commit. */
function killable({ pool, ...connections }: Connections, cross: OnCrashPoint): Connections {
  const wrap = (connection: PooledConnection): PooledConnection => ({
    // One signature for both ways to call it.
    query: (async (config: Parameters<PooledConnection['query']>[0]) => {
      const text = typeof config === 'string' ? config : (config as { text: string }).text
      cross(`before ${text}`)
      const result = await (connection.query as (config: unknown) => Promise<unknown>)(config)
      cross(`behind ${text}`)
      return result
    }) as PooledConnection['query'],
    release: (isBroken) => connection.release(isBroken),
  })
  const connectOne = async () => {
    cross('before a connection is taken')
    return wrap(await pool.connect())
  }
  return { ...connections, pool: { connect: connectOne, end: () => pool.end() } }
}

const doomed = `pg_stat_activity where datname = current_database() and application_name = '${applicationName}'`

const harness: CrashHarness = {
  async create(cross) {
    await emptySchema(database, schema)
    const { connectionString } = database
    const options = { connectionString, schema, random: () => 0.5 }
    const connections = await connect({ ...options, applicationName }, connectionDefaults)
    const stores: CloudStore[] = [await openStoreOver(killable(connections, cross), options)]
    return {
      store: stores[0]!,
      async reopen() {
        // The server notices that a process is gone, and ends what it had begun.
        while ((await database.query(`select pg_terminate_backend(pid) from ${doomed}`)).length > 0);
        const store = await createPostgresStore(options)
        stores.push(store)
        return store
      },
      dispose: async () => void (await Promise.allSettled(stores.map((store) => store.close()))),
    }
  },
}

it('loses nothing that it answered and keeps nothing by half, at whatever statement it is killed', async () => {
  const { points, crashes, problems } = await crashConformance(harness, { every })
  expect(problems).toEqual([])
  expect(points).toBeGreaterThan(150)
  expect(crashes).toBe(Math.ceil(points / every))
})
