// Named import, so that tests that fake the global timers do not hold up checkpoints.
import { clearTimeout, setTimeout } from 'node:timers'

/** Writes after which the log is worth a checkpoint: about two thousand pages. */
const writesWorthOne = 500
/** How long nothing must have been written, in milliseconds. */
const idleMs = 10

/** Moves pages from SQLite's log into the database while no write waits. */
export interface IdleCheckpoints {
  /** Records the number of committed writes. */
  written(count: number): void
  /** Cancels pending checkpoints. */
  close(): void
}

/** Options of {@link createIdleCheckpoints}. */
export interface IdleCheckpointsOptions {
  /** Runs a checkpoint that does not wait for other connections. */
  readonly checkpoint: () => void
  /** Whether a write is waiting. */
  readonly isAwaited: () => boolean
  /**
   * Schedules a call.
   *
   * @returns a function that cancels the call. @default a timer that does not keep the process alive
   */
  readonly later?: (look: () => void, ms: number) => () => void
}

/**
 * Creates checkpoints that run at the first moment without writes.
 *
 * Without them, SQLite checkpoints in the commit that makes the log too long, and that write waits for two disk
 * syncs. SQLite's own limit still applies if no idle moment comes.
 *
 * @example
 * const checkpoints = createIdleCheckpoints({
 *   checkpoint: () => connection.exec('pragma wal_checkpoint(passive)'),
 *   isAwaited: () => writer.isAwaited(),
 * })
 */
export function createIdleCheckpoints({
  checkpoint,
  isAwaited,
  later = laterByTimer,
}: IdleCheckpointsOptions): IdleCheckpoints {
  let open = 0
  let openAtLook = 0
  let takeBack: (() => void) | undefined

  function lookLater(): void {
    openAtLook = open
    takeBack = later(look, idleMs)
  }

  function look(): void {
    takeBack = undefined
    if (open !== openAtLook || isAwaited()) return lookLater()
    open = 0
    try {
      checkpoint()
    } catch {
      // Nothing is lost: the pages stay in the log, and the next write reports what is wrong with the disk.
    }
  }

  return {
    written(count) {
      open += count
      if (open >= writesWorthOne && takeBack === undefined) lookLater()
    },
    close: () => takeBack?.(),
  }
}

function laterByTimer(look: () => void, ms: number): () => void {
  const timer = setTimeout(look, ms)
  timer.unref()
  return () => clearTimeout(timer)
}
