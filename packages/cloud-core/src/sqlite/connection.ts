import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { SQLInputValue, StatementSync } from 'node:sqlite'
import { DatabaseSync } from 'node:sqlite'
import { restoreTexts, toParameter } from '../sql/marked-text.ts'
import type { Plan, Step } from '../sql/plan.ts'
import { toStoreError } from './sqlite-error.ts'

const maxPrepared = 256

const pragmas = [
  'journal_mode = wal',
  'synchronous = normal',
  'cache_size = -65536',
  'temp_store = memory',
  // In pages, so 16 MiB: a checkpoint waits for the disk, and reports write the same pages over and over.
  'wal_autocheckpoint = 4000',
  // 32 MiB: the log of one large write is longer, and would stay so until the last process closes it.
  'journal_size_limit = 33554432',
]

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
  readonly onStatement?: ((statement: SqliteStatement) => void) | undefined
}

/** One open database file. Everything on it is synchronous: a plan is never interrupted by another one. */
export interface Connection {
  /** Runs statements that give no rows. */
  exec(sql: string): void
  /** Runs one step and gives its rows. */
  runStep(step: Step): readonly unknown[]
  /** Runs a plan as it is, without a transaction. */
  runPlan<Result>(plan: Plan<Result>): Result
  close(): void
}

/**
 * Opens a database file, made with its folder when missing, readable for this user alone.
 *
 * @throws {CloudStoreError} `DATABASE_UNAVAILABLE`
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

  const runStep = ({ kind, sql, parameterLists }: Step): readonly unknown[] => {
    const statement = prepare(sql)
    let rows: unknown[] = []
    for (const parameters of parameterLists) {
      options.onStatement?.({ kind, sql })
      // Plans bind text, whole numbers and null only.
      const found = statement.all(...(parameters.map(toParameter) as SQLInputValue[]))
      found.forEach(restoreTexts)
      rows = parameterLists.length === 1 ? found : rows.concat(found)
    }
    return rows
  }

  return {
    exec: (sql) => database.exec(sql),
    runStep,
    runPlan: (plan) => runThrough(plan, runStep),
    close: () => {
      prepared.clear()
      if (database.isOpen) database.close()
    },
  }
}

/** Runs a plan step by step. Another process would look at the file by itself: nobody is told anything. */
export function runThrough<Result>(plan: Plan<Result>, runStep: Connection['runStep']): Result {
  let step = plan.next([])
  while (step.done !== true) step = plan.next(step.value.kind === 'tell' ? [] : runStep(step.value))
  return step.value
}

function openDatabase({ path, busyTimeoutMs }: ConnectionOptions): DatabaseSync {
  let database: DatabaseSync | undefined
  try {
    if (path !== ':memory:') {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      // SQLite gives its own files next to this one the same mode.
      closeSync(openSync(path, 'a', 0o600))
    }
    database = new DatabaseSync(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true })
    for (const pragma of pragmas) database.exec(`pragma ${pragma}`)
    return database
  } catch (error) {
    database?.close()
    throw toStoreError(error, 'Opening the database')
  }
}
