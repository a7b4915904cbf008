import type { Connection } from './connection.ts'

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
