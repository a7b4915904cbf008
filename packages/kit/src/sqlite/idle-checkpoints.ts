// Named import, so that tests that fake the global timers do not hold up checkpoints.
import { clearTimeout, setTimeout } from 'node:timers'

/** Writes after which the log is worth a checkpoint: about two thousand pages. */
const writesWorthOne = 500
/** How long nothing must have been written, in milliseconds. */
const idleMs = 10

/** Moves pages from SQLite's log into the database while nobody waits. */
export interface IdleCheckpoints {
  /** Notes that so many writes have been committed. */
  written(count: number): void
  /** Ends the looks that are to come. */
  close(): void
}

/** What {@link createIdleCheckpoints} is built from. */
export interface IdleCheckpointsOptions {
  /** Moves what can be moved without waiting for others. */
  readonly checkpoint: () => void
  /** Whether a write waits to be made. */
  readonly isAwaited: () => boolean
  /** Calls back once, later. @returns what takes it back. @default a timer that does not keep the process alive */
  readonly later?: (look: () => void, ms: number) => () => void
}

/**
 * SQLite moves pages with the commit that makes its log too long, and whoever waits for that one waits for two syncs of
 * the disk. Here they are moved in the first moment without writes; SQLite's own limit stays as the bound for when none
 * comes.
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
