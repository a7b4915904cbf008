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

/** When transactions are made, and what becomes of them. */
export interface WriterEvents<Signal> {
  /** Gets what the writes tell, after their commit, and how many they were. */
  readonly committed?: (signals: readonly Signal[], writes: number) => void
  readonly rolledBack?: () => void
  /**
   * Calls later what commits: the later, the more writes share a commit.
   *
   * @default at the end of this turn of the event loop: its writes share a commit
   */
  readonly schedule?: (commit: () => void) => void
  /** What all of them left to be written, once for the whole transaction. */
  readonly committing?: () => Plan<void, Signal>
}

/** Writes in groups. */
export interface GroupWriter<Signal> {
  /** Runs a plan in a transaction; resolves when it is committed. `plan` may be started more than once. */
  write<Result>(plan: () => Plan<Result, Signal>, signal?: AbortSignal): Promise<Result>
  /** Commits what waits. */
  flush(): void
  /** Whether something waits. */
  isAwaited(): boolean
}

/**
 * Commits the writes of one turn of the event loop together: each is answered after the commit, so what resolved is on
 * file, and under load a commit's cost is shared by many. A write rejects with a {@link SqlFailure}.
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
