import { restoreTexts, toParameter, type Step } from '../sql/plan.ts'
import type { Connection } from './connection.ts'

/** The part of a Durable Object's `ctx.storage` that is used; the object must use SQLite. */
export interface DurableObjectStorage {
  readonly sql: {
    exec(query: string, ...values: unknown[]): { toArray(): Record<string, unknown>[] }
  }
  /** Runs work in one transaction, which is rolled back if the work throws. */
  transactionSync<Result>(work: () => Result): Result
}

/**
 * Opens the database of a Durable Object. The platform limits a statement to 100 parameters.
 *
 * @example
 * const connection = openDurableObject(ctx.storage)
 */
export function openDurableObject(storage: DurableObjectStorage): Connection {
  const run = (text: string, values: readonly unknown[] = []) => {
    try {
      return storage.sql.exec(text, ...values).toArray()
    } catch (error) {
      throw withCode(error)
    }
  }

  const runStep = ({ sql, parameterLists, counts }: Step): readonly unknown[] => {
    const rows: Record<string, unknown>[] = []
    let changed = 0
    let lastRow: unknown = 0
    for (const parameters of parameterLists) {
      const found = run(sql, parameters.map(toParameter))
      if (counts) {
        const [count] = run('select changes() as changed, last_insert_rowid() as last_row')
        changed += Number(count?.['changed'] ?? 0)
        lastRow = count?.['last_row'] ?? 0
      } else rows.push(...found)
    }
    if (counts) return [changed, lastRow]
    rows.forEach(restoreTexts)
    return rows
  }

  return {
    exec: (sql) => void run(sql),
    runScript: (sql) => void run(sql),
    runStep,
    // The object closes its storage itself.
    close: () => undefined,
    transaction: (work) => storage.transactionSync(work),
  }
}

/** The codes of SQLite that stores tell apart. Here they stand at the end of the message. */
const codes: readonly (readonly [RegExp, number])[] = [
  [/SQLITE_CONSTRAINT_FOREIGNKEY/, 787],
  [/SQLITE_CONSTRAINT/, 19],
  [/SQLITE_FULL/, 13],
  [/SQLITE_[A-Z]+/, 1],
]

/** The error with the code that `node:sqlite` gives it. */
function withCode(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const [, errcode] = codes.find(([name]) => name.test(error.message)) ?? []
  return errcode === undefined ? error : Object.assign(error, { errcode })
}
