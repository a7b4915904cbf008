import { longestTimerMs } from '@homeward/kit'
import type { StoredWait } from '../../store/ports/wait.ts'
import { noteMissedRun } from '../continue.ts'
import type { RunsContext } from '../runs-options.ts'
import { settle } from './waits.ts'

/** Most milliseconds until the store is asked again: another process may have opened a wait. */
const lookEveryMs = 5000
const maxAtOnce = 100

/** Ends waits whose time is over, and delivers signals whose process is gone. */
export interface WaitExpiry {
  /** Begins. Safe to call again. */
  start(): void
  /** Stops, and waits for what is being written. */
  close(): Promise<void>
}

/**
 * Ends waits whose time is over, also those of processes that are gone: the time is in the store, and one clock reads it. With
 * several processes, exactly one ends a wait. Signals that a process left in the middle of their delivery are delivered.
 */
export function createWaitExpiry(context: RunsContext): WaitExpiry {
  const closing = context.closing.signal
  let timer: ReturnType<typeof setTimeout> | undefined
  let wakeAtMs = Infinity
  let looking: Promise<void> | undefined
  let isStarted = false
  let hasFoundLogins = false

  async function end(wait: StoredWait): Promise<void> {
    const run = await context.store.findRun(wait.runId)
    if (!run) return
    const isTime = wait.kind === 'event' && wait.event === undefined
    const how = isTime
      ? ({ status: 'answered' } as const)
      : ({ status: 'expired', reason: 'No one decided in time.' } as const)
    await settle(context, { run, wait }, how, isTime ? undefined : 'timeout')
  }

  /** A process may have ended between a login and the answer to its waits. */
  async function findMissedLogins(): Promise<void> {
    if (!context.store.isDurable || !context.logins) return
    const { rows } = await context.store.listWaits({ kind: 'login', status: 'open' }, { limit: 1 })
    if (rows.length > 0) await (await import('./logins.ts')).settleMissedLogins(context)
  }

  async function deliverLeft(): Promise<void> {
    const left = await context.store.listUndelivered(maxAtOnce)
    if (left.length === 0) return
    const { deliverSignal } = await import('./signals.ts')
    for (const signal of left) if (!closing.aborted) await deliverSignal(context, signal)
    noteMissedRun(context) // the process may have left a wait behind that had got it, before its run went on
  }

  async function look(): Promise<number> {
    if (!hasFoundLogins) await findMissedLogins()
    hasFoundLogins = true
    const { due, nextAt } = await context.store.listDueWaits(context.timestamp(), maxAtOnce)
    for (const wait of due) if (!closing.aborted) await end(wait)
    if (context.store.isDurable) await deliverLeft()
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
        context.logger.error('Ending waits whose time is over failed', { error: String(error) })
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
