import { longestTimerMs } from '@homeward/kit'
import type { StoredApproval } from '../../store/ports/approval.ts'
import { noteMissedRun, resumeWaiting } from '../continue.ts'
import type { RunsContext } from '../runs-options.ts'
import { toResolvedEvent } from './approvals.ts'

/** Most milliseconds until the store is asked again: another process may have stored an approval. */
const lookEveryMs = 5000
const maxAtOnce = 100

/** Denies calls that nobody decided about in time. */
export interface ApprovalExpiry {
  /** Begins. Safe to call again. */
  start(): void
  /** Stops, and waits for what is being written. */
  close(): Promise<void>
}

/**
 * Denies calls whose time is over, also those of processes that are gone: the time is in the store. With several
 * processes, exactly one denies a call.
 */
export function createApprovalExpiry(context: RunsContext): ApprovalExpiry {
  const closing = context.closing.signal
  let timer: ReturnType<typeof setTimeout> | undefined
  let wakeAtMs = Infinity
  let looking: Promise<void> | undefined
  let isStarted = false

  async function deny(approval: StoredApproval): Promise<void> {
    const { id: approvalId, runId } = approval
    const decidedAt = context.timestamp()
    const verdict = { runId, approvalId, status: 'denied', decidedAt, decidedBy: 'timeout' } as const
    const reason = 'No one decided in time.'
    const journal = [toResolvedEvent(verdict)]
    const outcome = await context.store.decideApproval({ ...verdict, reason, journal })
    if (outcome.outcome === 'decided' && outcome.open === 0) void resumeWaiting(context, runId)
  }

  async function look(): Promise<number> {
    const { due, nextAt } = await context.store.listDueApprovals(context.timestamp(), maxAtOnce)
    for (const approval of due) if (!closing.aborted) await deny(approval)
    const nextMs = nextAt === undefined ? Infinity : Date.parse(nextAt)
    // what is in memory belongs to this process alone
    return context.store.isDurable ? Math.min(nextMs, context.now() + lookEveryMs) : nextMs
  }

  function onTime(): void {
    timer = undefined
    wakeAtMs = Infinity
    if (closing.aborted) return
    looking = look()
      .catch((error: unknown) => {
        noteMissedRun(context)
        context.logger.error('Denying calls that waited too long failed', { error: String(error) })
        return context.now() + lookEveryMs
      })
      .then((nextMs) => {
        looking = undefined
        plan(Math.min(nextMs, wakeAtMs))
      })
  }

  function plan(ms: number): void {
    wakeAtMs = ms
    clearTimeout(timer)
    if (closing.aborted || looking || ms === Infinity) return
    timer = setTimeout(onTime, Math.min(Math.max(0, ms - context.now()), longestTimerMs))
    timer.unref()
  }

  /** Looks at this time, or earlier if it is to look earlier anyway. */
  const wakeAt = (ms: number) => (ms < wakeAtMs ? plan(ms) : undefined)

  return {
    start() {
      if (isStarted || closing.aborted) return
      isStarted = true
      context.hooks.onDue = wakeAt
      if (context.store.isDurable) wakeAt(context.now())
    },
    async close() {
      clearTimeout(timer)
      await looking
    },
  }
}
