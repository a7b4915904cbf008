import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { SQLInputValue, StatementSync } from 'node:sqlite'
import { DatabaseSync } from 'node:sqlite'
import { restoreTexts, toParameter, type Step } from '../sql/plan.ts'
import type { Connection, SqliteStatement } from './connection.ts'
import { toSqliteFailure } from './to-sqlite-failure.ts'

const maxPrepared = 256
const pageBytes = 4096

/** Options of {@link openConnection}. */
export interface ConnectionOptions {
  /** Database file, or `:memory:`. */
  readonly path: string
  /** Time to wait for another writing process, in milliseconds. */
  readonly busyTimeoutMs: number
  /** Maximum memory for cached pages, in KiB. @default 16384 */
  readonly cacheKib?: number
  /**
   * Number of log pages (4 KiB each) after which a commit runs a checkpoint.
   *
   * A checkpoint waits for the disk, and moves a page only once even if many writes changed it. So a longer log means
   * fewer but longer waits.
   *
   * @default 8000
   */
  readonly logPages?: number
  /** Called for each statement, just before the statement runs. Must not throw. */
  readonly onStatement?: ((statement: SqliteStatement) => void) | undefined
}

/**
 * Opens a database file. Creates the file and its folder if missing, readable only by the current user.
 *
 * @throws {SqlFailure} `unavailable`
 */
export function openConnection(options: ConnectionOptions): Connection {
  const database = openDatabase(options)
  const prepared = new Map<string, StatementSync>()

  const prepare = (sql: string): StatementSync => {
    let statement = prepared.get(sql)
    if (statement !== undefined) return statement
    statement = database.prepare(sql)
    const [oldest] = prepared.keys()
    if (prepared.size >= maxPrepared && oldest !== undefined) prepared.delete(oldest)
    prepared.set(sql, statement)
    return statement
  }

  const runStep = ({ kind, sql, parameterLists, counts }: Step): readonly unknown[] => {
    const statement = prepare(sql)
    let rows: Record<string, unknown>[] = []
    let changed = 0
    let lastRow: number | bigint = 0
    for (const parameters of parameterLists) {
      options.onStatement?.({ kind, sql })
      const values = parameters.map(toParameter) as SQLInputValue[] // plans bind text, whole numbers, bytes and null only
      if (counts) {
        const { changes, lastInsertRowid } = statement.run(...values)
        changed += Number(changes)
        lastRow = lastInsertRowid
      } else if (parameterLists.length === 1) rows = statement.all(...values)
      else rows = rows.concat(statement.all(...values))
    }
    if (counts) return [changed, lastRow]
    rows.forEach(restoreTexts)
    return rows
  }

  return {
    exec: (sql) => void prepare(sql).run(),
    runScript: (sql) => database.exec(sql),
    runStep,
    close: () => {
      prepared.clear()
      if (database.isOpen) database.close()
    },
    // `serialize` came with Node 24.
    content:
      options.path === ':memory:' && 'serialize' in database
        ? {
            read: () => database.serialize(),
            replace(content) {
              prepared.clear() // statements end with what they were prepared on
              database.deserialize(content)
            },
          }
        : undefined,
  }
}

function openDatabase(options: ConnectionOptions): DatabaseSync {
  const { path, busyTimeoutMs, cacheKib = 16_384, logPages = 8000 } = options
  let database: DatabaseSync | undefined
  try {
    if (path !== ':memory:') {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      // SQLite gives its own files next to this one the same mode.
      closeSync(openSync(path, 'a', 0o600))
    }
    database = new DatabaseSync(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true })
    database.exec(
      // One large write makes the log longer than its pages say; after it the file shrinks to twice their size, and not
      // only when the last process closes it.
      `pragma journal_mode = wal; pragma synchronous = normal; pragma wal_autocheckpoint = ${logPages}; ` +
        `pragma journal_size_limit = ${2 * logPages * pageBytes}; pragma cache_size = ${-cacheKib}; ` +
        'pragma temp_store = memory;',
    )
    return database
  } catch (error) {
    database?.close()
    throw toSqliteFailure(error, 'Opening the database')
  }
}
