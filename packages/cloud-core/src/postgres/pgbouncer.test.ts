import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pgBouncerVersion, startPgBouncer } from '../../../../tests/postgres/pgbouncer.ts'
import { createTestDatabase, type TestDatabase } from '../../../../tests/postgres/test-database.ts'
import { cloudStoreConformance } from '../testing/index.ts'
import { searchOf, withDevices } from '../testing/store-harness.ts'
import { createPostgresStore, type PostgresStatement } from './index.ts'
import { emptySchema } from './testing/empty-schema.ts'

const schema = 'pooled'
const version = pgBouncerVersion()
/** Why a mode cannot be tried on this machine. */
const missing = {
  session: version === undefined ? 'the program "pgbouncer" is not installed' : undefined,
  transaction:
    version === undefined || version < 21
      ? `prepared statements need PgBouncer 1.21, not 1.${version}`
      : undefined,
}

describe.each(['session', 'transaction'] as const)('through PgBouncer in %s mode', (mode) => {
  if (missing[mode] !== undefined) {
    it('is left out', ({ skip }) => skip(missing[mode]))
    return
  }
  let database: TestDatabase
  let bouncer: Awaited<ReturnType<typeof startPgBouncer>>
  beforeAll(async () => {
    database = await createTestDatabase()
    bouncer = await startPgBouncer(database.connectionString, mode)
  })
  afterAll(async () => {
    await bouncer[Symbol.asyncDispose]()
    await database.drop()
  })
  const schemas = async () => {
    const rows = await database.query(`select distinct schemaname as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema')`)
    return rows.map(({ name }) => name)
  }
  const openStore = (onStatement?: (statement: PostgresStatement) => void) =>
    createPostgresStore({
      connectionString: bouncer.connectionString,
      directConnectionString: database.connectionString,
      schema,
      ...(onStatement && { onStatement }),
    })

  it('makes no table while statements would reach another schema, and says what to change', async () => {
    const error = await openStore().catch((thrown: unknown) => thrown)
    const { message = '' } = error instanceof Error ? error : {}
    const [fix = ''] = /alter role "homeward" in database "\w+" set search_path = pooled/.exec(message) ?? []
    expect(fix, message).not.toBe('')
    expect(await schemas()).toEqual([])
    await database.query(fix)
    // Connections that PgBouncer holds began before the change.
    await database.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`)
    await (await openStore()).close()
    expect(await schemas()).toEqual([schema])
  })

  it('tells other processes of work', async () => {
    await using stack = new AsyncDisposableStack()
    const [here, there] = [await openStore(), await openStore()]
    stack.defer(async () => void (await Promise.all([here.close(), there.close()])))
    const heard: string[] = []
    there.subscribe?.(({ topic }) => void heard.push(topic))
    await withDevices(here)
    await here.insertSearches('ann', [searchOf('s1')], undefined)
    await expect.poll(() => heard).toContain('work')
  })

  for (const { name, run } of cloudStoreConformance) {
    it(name, () =>
      run({
        create: async () => {
          await emptySchema(database, schema)
          const statements: PostgresStatement[] = []
          const onStatement = (statement: PostgresStatement) => void statements.push(statement)
          return {
            store: await openStore(onStatement),
            statements: () => statements,
            reopen: () => openStore(onStatement),
          }
        },
      }),
    )
  }
})
