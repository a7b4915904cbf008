import type { Connection, SqliteStatement } from '@homeward/kit/sqlite'
import { type ConnectionOptions, openConnection } from '@homeward/kit/sqlite/node'
import { aFunction, integerFrom, required, text } from '@homeward/kit'
import { checkOptions } from '../context/check-options.ts'
import type { CloudStore } from '../ports/cloud-store.ts'
import { toStoreError } from '../sql/to-store-error.ts'
import { createStoreOver } from './store-over.ts'

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
