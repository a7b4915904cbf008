import type { Connection, SqliteStatement } from '@homeward/kit/sqlite'
import { type ConnectionOptions, openConnection } from '@homeward/kit/sqlite/node'
import { aFunction, integerFrom, required, text } from '@homeward/kit'
import { checkOptions } from '../context/check-options.ts'
import type { CloudStore } from '../ports/cloud-store.ts'
import { toStoreError } from '../sql/to-store-error.ts'
import { createStoreOver } from './store-over.ts'

const attempt = 'Opening the database'

/** Options of {@link createSqliteStore}. */
export interface SqliteStoreOptions {
  /** Database file. Created with its folder if missing. `:memory:` stores everything in memory. */
  readonly path: string
  /** Time to wait for another writing process, in milliseconds. @default 5000 */
  readonly busyTimeoutMs?: number
  /** Called for each statement just before it runs, except `begin` and `commit`. Must not throw. */
  readonly onStatement?: (statement: SqliteStatement) => void
}

/**
 * Creates a store in one SQLite file, with Node's built-in SQLite. Several processes may use the file.
 *
 * A resolved call survives a crash of the process. After a power failure the file is intact, but the last changes
 * before it may be missing (`synchronous = NORMAL`).
 *
 * @throws {TypeError} if an option is invalid.
 * @throws {CloudStoreError} `DATABASE_UNAVAILABLE` if the file cannot be opened, `DATABASE_NEWER` if a newer release
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
  const connection = open({ path, busyTimeoutMs, onStatement })
  return createStoreOver(connection, () => truncateLog(connection))
}

/** Opens a database file the way that a fleet of devices wants it. */
export function open(options: ConnectionOptions): Connection {
  try {
    // Polls read all devices over and over: they stay in memory. Reports come all day without a pause in which the log could
    // be moved, so a commit moves it, and a short one does not keep the devices waiting.
    const connection = openConnection({ ...options, cacheKib: 65_536, logPages: 4000 })
    // What is deleted is overwritten: a copy of the file does not hold what its owner had erased.
    connection.exec('pragma secure_delete = on')
    return connection
  } catch (error) {
    throw toStoreError(error)
  }
}

/** Moves the log into the database, and cuts it. */
export const truncateLog = ({ exec }: Connection) => exec('pragma wal_checkpoint(truncate)')
