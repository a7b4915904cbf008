import type { Plan, Step } from '../sql/plan.ts'

const noRows: readonly unknown[] = []

/** A statement that was run. */
export interface SqliteStatement {
  readonly kind: 'read' | 'write'
  readonly sql: string
}

/**
 * One open database: the port between the stores and an engine of SQLite, such as the one of Node or of a Durable Object.
 * Everything on it is synchronous: a plan is never interrupted by another one.
 */
export interface Connection {
  /** Runs one statement that gives no rows and takes no values. It is kept prepared. */
  exec(sql: string): void
  /** Runs any number of statements, as {@link Connection.exec} does with one, and keeps none of them prepared. */
  runScript(sql: string): void
  /** Runs one step and gives its rows. */
  runStep(step: Step): readonly unknown[]
  /** Closes the database. Closing twice does nothing. */
  close(): void
  /** Runs work in a transaction, on engines that refuse `begin`. @default `begin`, then `commit` or `rollback` */
  transaction?<Result>(work: () => Result): Result
  /** The whole content of a database in memory, where the engine can copy it. */
  readonly content?: { read(): Uint8Array; replace(content: Uint8Array): void } | undefined
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
  if (connection.transaction) return connection.transaction(work)
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
