import type { Plan, Step } from '../sql/plan.ts'

const noRows: readonly unknown[] = []

/** A statement that ran. */
export interface SqliteStatement {
  readonly kind: 'read' | 'write'
  readonly sql: string
}

/**
 * An open SQLite database: the port between the stores and an engine, such as Node's or a Durable Object's.
 *
 * All methods are synchronous, so no other plan interrupts a plan.
 */
export interface Connection {
  /** Runs one statement without parameters and without rows. The statement stays prepared. */
  exec(sql: string): void
  /** Runs any number of statements without parameters. None stays prepared. */
  runScript(sql: string): void
  /** Runs one step and returns its rows. */
  runStep(step: Step): readonly unknown[]
  /** Closes the database. Closing twice does nothing. */
  close(): void
  /** Runs work in a transaction, on engines that reject `begin`. @default `begin`, then `commit` or `rollback` */
  transaction?<Result>(work: () => Result): Result
  /** Returns the whole content of a database in memory, if the engine can copy it. */
  readonly content?: { read(): Uint8Array; replace(content: Uint8Array): void } | undefined
}

/** Runs a plan without a transaction. Its notifications are added to `signals`. */
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
