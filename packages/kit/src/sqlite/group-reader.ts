import type { Plan } from '../sql/plan.ts'
import { type Connection, inTransaction, runPlan } from './connection.ts'
import { atEndOfTurn } from './group-writer.ts'
import { isHeldByAnother, toSqliteFailure } from './to-sqlite-failure.ts'

interface QueuedRead {
  readonly signal: AbortSignal | undefined
  /** Runs the plan and gives the call that answers it. */
  run(): () => void
  refuse(error: unknown): void
}

/** Groups reads into transactions. */
export interface GroupReader {
  /** Runs a plan that only reads. `plan` may run more than once. */
  read<Result>(plan: () => Plan<Result, unknown>, signal?: AbortSignal): Promise<Result>
  /** Runs the waiting reads now. */
  flush(): void
}

/**
 * Creates a reader that runs all reads of one turn of the event loop in one transaction.
 *
 * Starting and ending a transaction costs ten times as much as a read that finds no work for a device. The
 * transaction starts after all of the calls, so each call sees everything that was committed before. It ends before
 * any call resolves. A read rejects with a {@link SqlFailure}.
 *
 * @example
 * const reader = createGroupReader(connection)
 * const device = await reader.read(() => plans.findDevice(id))
 */
export function createGroupReader(connection: Connection): GroupReader {
  let queue: QueuedRead[] = []

  const flush = () => {
    const waiting = queue
    queue = []
    readGroup(connection, waiting)
  }

  return {
    flush,
    read: <Result>(plan: () => Plan<Result, unknown>, signal?: AbortSignal) =>
      new Promise<Result>((resolve, reject) => {
        queue.push({
          signal,
          run: () => {
            const result = runPlan(connection, plan())
            return () => resolve(result)
          },
          refuse: (error) => reject(toSqliteFailure(error, 'Reading the database')),
        })
        if (queue.length === 1) atEndOfTurn(flush)
      }),
  }
}

function readGroup(connection: Connection, group: readonly QueuedRead[]): void {
  const live = group.filter((read) => {
    if (read.signal?.aborted === true) read.refuse(read.signal.reason)
    return read.signal?.aborted !== true
  })
  const [first] = live
  if (first === undefined) return
  try {
    const answers = live.length === 1 ? [first.run()] : readTogether(connection, live)
    for (const answer of answers) answer()
  } catch (error) {
    // Each of them alone would wait as long again for whoever holds the database.
    if (live.length === 1 || isHeldByAnother(error)) for (const read of live) read.refuse(error)
    // One of them failed and took the others along: each once more, alone.
    else for (const read of live) readGroup(connection, [read])
  }
}

function readTogether(connection: Connection, group: readonly QueuedRead[]): (() => void)[] {
  return inTransaction(connection, () => group.map((read) => read.run()), 'begin')
}
