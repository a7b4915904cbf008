import { bindPlans } from '@homeward/kit/sql'
import {
  type Connection,
  type ConnectionOptions,
  createGroupReader,
  createGroupWriter,
  createSqliteBuilder,
  migrate,
  openConnection,
  type SqliteStatement,
  toSqliteFailure,
  runPlan,
} from '@homeward/kit/sqlite'
import { aFunction, integerFrom, required, text } from '@homeward/kit'
import { checkOptions } from '../context/check-options.ts'
import { CloudStoreError } from '../ports/cloud-store-error.ts'
import type { CloudSignal } from '../ports/cloud-signal.ts'
import type { CloudStore } from '../ports/cloud-store.ts'
import type { CloudTables } from '../sql/schema.ts'
import { toStoreError } from '../sql/to-store-error.ts'
import { createCloudPlans } from '../sql/cloud-plans.ts'
import { embeddedDialect } from '../sql/dialect.ts'
import { sqliteMigrations } from '../sql/migrations.ts'
import { type CloudVerb, cloudVerbs, type CloudVerbs } from '../sql/verbs.ts'

const attempt = 'Opening the database'

/** Settings of {@link createSqliteStore}. */
export interface SqliteStoreOptions {
  /** Database file; it and its folder are made when missing. `:memory:` keeps everything in memory. */
  readonly path: string
  /** How long to wait while another process writes, in milliseconds. @default 5000 */
  readonly busyTimeoutMs?: number
  /** Called for each statement, just before it runs; `begin` and `commit` are not counted. Must not throw. */
  readonly onStatement?: (statement: SqliteStatement) => void
}

/**
 * Keeps everything in one SQLite file, with the SQLite that comes with Node. Several processes may open it at once.
 *
 * What resolved survives a crash of the process. After a loss of power the file is sound, but the last moments of it may
 * be missing (`synchronous = NORMAL`).
 *
 * @throws {TypeError} for a setting that cannot work.
 * @throws {CloudStoreError} `DATABASE_UNAVAILABLE` when the file cannot be opened, `DATABASE_NEWER` when a newer release
 * wrote it.
 * @example
 * const store = createSqliteStore({ path: '/var/lib/homeward/cloud.db' })
 */
export function createSqliteStore(options: SqliteStoreOptions): CloudStore {
  checkOptions<SqliteStoreOptions>(attempt, options, {
    path: required(text),
    busyTimeoutMs: integerFrom(0),
    onStatement: aFunction,
  })
  const { path, busyTimeoutMs = 5000, onStatement } = options
  return createStoreOver(open({ path, busyTimeoutMs, onStatement }))
}

/** Opens a database file the way that a fleet of devices wants it. */
export function open(options: ConnectionOptions): Connection {
  try {
    // Polls read all devices over and over: they stay in memory. Reports come all day without a pause in which the log could
    // be moved, so a commit moves it, and a short one does not keep the devices waiting.
    return openConnection({ ...options, cacheKib: 65_536, logPages: 4000 })
  } catch (error) {
    throw toStoreError(error)
  }
}

/** {@link createSqliteStore} over a connection that is there already. */
export function createStoreOver(connection: Connection): CloudStore {
  const builder = createSqliteBuilder<CloudTables>()
  try {
    migrate(connection, builder, sqliteMigrations)
  } catch (error) {
    connection.close()
    throw toStoreError(error)
  }

  // What is deleted is overwritten: a copy of the file does not hold what its owner had erased.
  connection.exec('pragma secure_delete = on')

  const reader = createGroupReader(connection)
  const writer = createGroupWriter<CloudSignal>(connection)
  const plans = createCloudPlans(builder, embeddedDialect)
  let closed = false

  const verbs = bindPlans<CloudVerbs, CloudVerb, CloudSignal>(plans, cloudVerbs, async (plan, call) => {
    const { row, signal } = call
    signal?.throwIfAborted()
    if (closed)
      throw new CloudStoreError('CLOSED', 'Using the database failed: the store is closed. Open it again.')
    try {
      if (row.kind === 'read') return runPlan(connection, plan())
      return await (row.kind === 'poll' ? reader.read(plan, signal) : writer.write(plan, signal))
    } catch (error) {
      throw toStoreError(toSqliteFailure(error, 'Reading the database'))
    }
  })

  return {
    ...verbs,
    async scrub(signal) {
      signal?.throwIfAborted()
      writer.flush()
      // What was written lies in the log as well, until it is moved and the log cut. A reader of another process may hold it.
      if (!closed) connection.exec('pragma wal_checkpoint(truncate)')
    },
    close: async () => {
      closed = true
      reader.flush()
      writer.flush()
      connection.close()
    },
  }
}
