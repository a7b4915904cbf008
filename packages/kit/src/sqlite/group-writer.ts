import type { Plan } from '../sql/plan.ts'
import { Undo } from '../sql/plan.ts'
import { type Connection, inTransaction, NotBegunError, runPlan } from './connection.ts'
import { toSqliteFailure } from './to-sqlite-failure.ts'

const maxGroup = 512

// Read once, so that tests that fake the global timers do not hold up commits. Only Node has the first one.
const { setImmediate, setTimeout } = globalThis

/** Calls at the end of this turn of the event loop. */
export const atEndOfTurn: (call: () => void) => void =
  typeof setImmediate === 'function' ? setImmediate : (call) => void setTimeout(call, 0)

interface QueuedWrite<Signal> {
  readonly signal: AbortSignal | undefined
  /** Runs the plan and gives the call that answers it, to be made once the group is committed. */
  run(signals: Signal[]): () => void
  refuse(error: unknown): void
}

/** Callbacks of a group writer, and its schedule. */
export interface WriterEvents<Signal> {
  /** Receives the notifications of the writes and the number of writes, after their commit. */
  readonly committed?: (signals: readonly Signal[], writes: number) => void
  readonly rolledBack?: () => void
  /**
   * Schedules the commit. With a longer delay, more writes share one commit.
   *
   * @default at the end of this turn of the event loop
   */
  readonly schedule?: (commit: () => void) => void
  /** Receives the deferred work of all writes, once per transaction, just before the commit. */
  readonly committing?: () => Plan<void, Signal>
}

/** Groups writes into transactions. */
export interface GroupWriter<Signal> {
  /** Runs a plan in a transaction. Resolves when the transaction is committed. `plan` may run more than once. */
  write<Result>(plan: () => Plan<Result, Signal>, signal?: AbortSignal): Promise<Result>
  /** Commits the waiting writes now. */
  flush(): void
  /** Whether writes are waiting. */
  isAwaited(): boolean
}

/**
 * Creates a writer that commits all writes of one turn of the event loop together.
 *
 * Each write resolves after the commit, so it is stored, and writes under load share the cost of a commit. A write
 * rejects with a {@link SqlFailure}.
 *
 * @example
 * const writer = createGroupWriter(connection, { committed: (signals) => hub.tell(signals) })
 * await writer.write(() => plans.insertDevice(device))
 */
export function createGroupWriter<Signal>(
  connection: Connection,
  events: WriterEvents<Signal> = {},
): GroupWriter<Signal> {
  const { schedule = atEndOfTurn } = events
  let queue: QueuedWrite<Signal>[] = []

  const flush = () => {
    const waiting = queue
    queue = []
    for (let start = 0; start < waiting.length; start += maxGroup) {
      writeGroup(connection, events, waiting.slice(start, start + maxGroup))
    }
  }

  return {
    flush,
    isAwaited: () => queue.length > 0,
    write: <Result>(plan: () => Plan<Result, Signal>, signal?: AbortSignal) =>
      new Promise<Result>((resolve, reject) => {
        queue.push({
          signal,
          run: (signals) => {
            const result = runPlan(connection, plan(), signals)
            return () => resolve(result)
          },
          refuse: (error) => {
            if (error instanceof Undo) resolve(error.result as Result) // what the plan itself threw
            else reject(toSqliteFailure(error, 'Writing to the database'))
          },
        })
        if (queue.length === 1) schedule(flush)
      }),
  }
}

function writeGroup<Signal>(
  connection: Connection,
  events: WriterEvents<Signal>,
  group: readonly QueuedWrite<Signal>[],
): void {
  const live = group.filter((write) => {
    if (write.signal?.aborted === true) write.refuse(write.signal.reason)
    return write.signal?.aborted !== true
  })
  if (live.length === 0) return
  const signals: Signal[] = []
  let answers: (() => void)[]
  try {
    answers = commitTogether(connection, events, live, signals)
  } catch (error) {
    events.rolledBack?.()
    // Each of them alone would wait as long again for whoever holds the database, and hold up the event loop meanwhile.
    if (error instanceof NotBegunError) refuseAll(live, error.cause)
    // One of them failed and took the others along: each once more, alone.
    else if (live.length > 1) for (const write of live) writeGroup(connection, events, [write])
    else refuseAll(live, error)
    return
  }
  // What is committed stays so, whatever the listener does.
  for (const answer of answers) answer()
  events.committed?.(signals, live.length)
}

function commitTogether<Signal>(
  connection: Connection,
  { committing }: WriterEvents<Signal>,
  group: readonly QueuedWrite<Signal>[],
  signals: Signal[],
): (() => void)[] {
  return inTransaction(connection, () => {
    const answers = group.map((write) => write.run(signals))
    if (committing) runPlan(connection, committing(), signals)
    return answers
  })
}

function refuseAll<Signal>(group: readonly QueuedWrite<Signal>[], error: unknown): void {
  for (const write of group) write.refuse(error)
}
