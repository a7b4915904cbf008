import type { Logger } from '../ports/logger.ts'
import type { Retention, RetentionLimits } from '../store/ports/retention.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { reasonOf } from '../ports/reason-of.ts'

const dayMs = 86_400_000
/** Soon, so that programs that run for a short while clean up too. */
const firstAfterMs = 10_000
const everyMs = 60_000

/**
 * Storage times of runs, tasks and events. Agents, conversations and memories stay until they are deleted or
 * expire.
 */
export interface RetentionOptions {
  /** Time that journal events are stored, in milliseconds. @default 90 days */
  readonly journalMs?: number
  /**
   * Maximum number of events in the journal. The oldest are deleted. @default Infinity; 100,000 without a store and a home
   */
  readonly journalEvents?: number
  /**
   * Time that messages and stream events of a run are stored after its end, in milliseconds. Its result stays.
   *
   * @default 30 days
   */
  readonly runStepsMs?: number
  /**
   * Time that a run with its result is stored after its end, and a channel message after it was processed, in
   * milliseconds.
   *
   * @default Infinity
   */
  readonly runsMs?: number
  /**
   * Maximum number of ended runs. The runs that ended first are deleted, with their results.
   * @default Infinity; 10,000 without a store and a home
   */
  readonly endedRuns?: number
  /**
   * Time that a task with its result and its idempotency key is stored after its end, in milliseconds.
   *
   * @default 90 days
   */
  readonly tasksMs?: number
  /** Time that audit entries are stored, in milliseconds. @default 365 days */
  readonly auditMs?: number
  /** Maximum number of audit entries. The oldest are deleted. @default 100,000 */
  readonly auditEntries?: number
}

/** What a runtime keeps whose store is gone with the process: else its memory would grow for as long as it runs. */
export const inMemoryRetention: RetentionOptions = { endedRuns: 10_000, journalEvents: 100_000 }

/** What {@link createRetention} is built from. */
interface RetentionContext {
  readonly store: Retention
  readonly retention: RetentionOptions | undefined
  readonly logger: Logger
  readonly now: () => number
}

/** Sweeps now and then until it is closed. */
interface RetentionSweeper {
  start(): void
  /** Resolves when no sweep is under way any more. */
  close(): Promise<void>
}

/**
 * Lets old rows go, in any store: a few at once, each minute, until nothing old is left. Of processes that share a store
 * each does it; none of them minds.
 */
export function createRetention({ store, retention = {}, logger, now }: RetentionContext): RetentionSweeper {
  const closing = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let sweeping: Promise<void> = Promise.resolve()

  async function sweep(): Promise<void> {
    try {
      const limits = toLimits(retention, now())
      while (!closing.signal.aborted && (await store.prune(limits, closing.signal)));
    } catch (error) {
      if (closing.signal.aborted) return
      logger.warn('Removing old rows failed. Retrying.', { reason: reasonOf(error) })
    }
  }

  function later(ms: number): void {
    timer = setTimeout(() => {
      sweeping = sweep().then(() => {
        if (!closing.signal.aborted) later(everyMs)
      })
    }, ms)
    timer.unref?.() // cleaning up keeps no program alive
  }

  return {
    start: () => later(firstAfterMs),
    async close() {
      closing.abort(
        new RuntimeError('closed', 'Removing old rows failed: the runtime was closed. Create another one.'),
      )
      clearTimeout(timer)
      await sweeping
    },
  }
}

/** What is old at a time. */
export function toLimits(retention: RetentionOptions, nowMs: number): RetentionLimits {
  const {
    journalMs = 90 * dayMs,
    journalEvents = Infinity,
    runStepsMs = 30 * dayMs,
    runsMs = Infinity,
    endedRuns = Infinity,
    tasksMs = 90 * dayMs,
    auditMs = 365 * dayMs,
    auditEntries = 100_000,
  } = retention
  const journalBefore = before(nowMs, journalMs)
  const runStepsBefore = before(nowMs, runStepsMs)
  const runsBefore = before(nowMs, runsMs)
  const tasksBefore = before(nowMs, tasksMs)
  const auditBefore = before(nowMs, auditMs)
  return {
    ...(journalBefore !== undefined && { journalBefore }),
    ...(Number.isFinite(journalEvents) && { journalEvents: Math.max(1, Math.trunc(journalEvents)) }),
    ...(Number.isFinite(endedRuns) && { endedRuns: Math.max(0, Math.trunc(endedRuns)) }),
    ...(runStepsBefore !== undefined && { runStepsBefore }),
    ...(runsBefore !== undefined && { runsBefore }),
    ...(tasksBefore !== undefined && { tasksBefore }),
    ...(auditBefore !== undefined && { auditBefore }),
    ...(Number.isFinite(auditEntries) && { auditEntries: Math.max(1, Math.trunc(auditEntries)) }),
  }
}

/** Undefined when everything stays, or when so long ago is no date any more. */
function before(nowMs: number, keptMs: number): string | undefined {
  const date = new Date(nowMs - keptMs)
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() < 1 ? undefined : date.toISOString()
}
