import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { SQLInputValue, StatementSync } from 'node:sqlite'
import { DatabaseSync } from 'node:sqlite'
import { restoreTexts, toParameter } from '../sql/marked-text.ts'
import type { Plan, Step } from '../sql/plan.ts'
import { toSqliteFailure } from './to-sqlite-failure.ts'

const maxPrepared = 256
const pageBytes = 4096
const noRows: readonly unknown[] = []

/** A statement that was run. */
export interface SqliteStatement {
  readonly kind: 'read' | 'write'
  readonly sql: string
}

/** How to open a database file. */
export interface ConnectionOptions {
  /** Database file, or `:memory:`. */
  readonly path: string
  /** How long to wait for another process that writes, in milliseconds. */
  readonly busyTimeoutMs: number
  /** Most memory for pages that were read, in KiB. @default 16384 */
  readonly cacheKib?: number
  /**
   * Pages of 4 KiB in the log after which a commit moves them into the database. A checkpoint waits for the disk, and a
   * page that many writes have changed is moved once: the longer the log, the rarer and the longer the wait.
   *
   * @default 8000
   */
  readonly logPages?: number
  /** Called for each statement, just before it runs. Must not throw. */
  readonly onStatement?: ((statement: SqliteStatement) => void) | undefined
}

/** One open database file. Everything on it is synchronous: a plan is never interrupted by another one. */
export interface Connection {
  /** Runs one statement that gives no rows and takes no values. It is kept prepared. */
  exec(sql: string): void
  /** Runs any number of statements, as {@link Connection.exec} does with one, and keeps none of them prepared. */
  runScript(sql: string): void
  /** Runs one step and gives its rows. */
  runStep(step: Step): readonly unknown[]
  /** Closes the database. Closing twice does nothing. */
  close(): void
}

/**
 * Opens a database file, made with its folder when missing, readable for this user alone.
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
  }
}

/** Runs a plan as it is, without a transaction. What it tells is added to `signals`. */
export function runPlan<Result, Signal>(
  { runStep }: Pick<Connection, 'runStep'>,
  plan: Plan<Result, Signal>,
  signals?: Signal[],
): Result {
  let step = plan.next(noRows)
  while (step.done !== true) {
    const { value } = step
    if (value.kind === 'emit') {
      signals?.push(value.signal)
      step = plan.next(noRows)
    } else step = plan.next(runStep(value))
  }
  return step.value
}

/** Another process holds the database, so the transaction never began: nothing is wrong with what it was to do. */
export class NotBegunError extends Error {
  constructor(cause: unknown) {
    super('The transaction could not begin', { cause })
  }
}

/**
 * Does work in a transaction: kept when it returns, undone when it throws. It is alone from its start, unless it begins by a
 * plain `begin`: that one sees the same from its first read on, while others write.
 *
 * @throws {NotBegunError} with the failure as its cause; the work was not tried then.
 */
export function inTransaction<Result>(
  connection: Connection,
  work: () => Result,
  begin: 'begin' | 'begin immediate' = 'begin immediate',
): Result {
  try {
    connection.exec(begin)
  } catch (error) {
    throw new NotBegunError(error)
  }
  try {
    const result = work()
    connection.exec('commit')
    return result
  } catch (error) {
    rollBack(connection)
    throw error
  }
}

function rollBack(connection: Connection): void {
  try {
    connection.exec('rollback')
  } catch {
    // SQLite rolled back already, as it does when the disk is full; the first error says why.
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
