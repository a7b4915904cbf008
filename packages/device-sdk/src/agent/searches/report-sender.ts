import type { SearchReport } from '@homeward/contract/device-cloud'
import type { DeviceCloudError } from '../../device-cloud-error.ts'
import type { Outbox, OutboxEntry } from '../../ports/index.ts'
import type { AgentContext } from '../agent-context.ts'
import { backoffMs, createAutoResetEvent, sleep } from '@homeward/kit'
import { toEmptyReport } from './empty-report.ts'
import { isFinal, toOwnError } from '../is-final.ts'
import { createPace } from '../pace/pace.ts'
import { createRecentIds } from '../recent-ids.ts'
import { createRetrySchedule } from '../pace/retry-schedule.ts'

/** Sends reports until the cloud has them (C17). */
export interface ReportSender {
  /** Reads what an earlier run of the agent left. Searches that were running then become failed reports. */
  readonly load: () => Promise<void>
  /** Queues a report that the outbox keeps. */
  add(report: SearchReport): void
  /** Whether a search waits to be reported, or was reported lately. */
  knows(queryId: string): boolean
  /** Calls `listener` for each report that is done with. */
  onSettled(listener: () => void): void
  /** Searches whose report waits. */
  waiting(): readonly string[]
  /** Whether no report waits. */
  isEmpty(): boolean
  /** Sends what is due until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>
  /** Sends everything once; gives how many the cloud took. Stops at the first failure of the connection. */
  flush(signal: AbortSignal): Promise<number>
}

/** Failures that any other report would meet too; the rest are about the one report. */
const sharedCodes = new Set(['UNREACHABLE', 'TIMEOUT', 'RATE_LIMITED', 'REDIRECTED', 'UNAUTHORIZED'])
/** Several failures in a row are about the cloud too, whatever they are. */
const isShared = (error: DeviceCloudError, failures: number) =>
  sharedCodes.has(error.code) || error.retryAfterMs !== undefined || failures >= 3

interface Sent {
  readonly taken: boolean
  /** Milliseconds that every report has to wait; 0 for none. */
  readonly holdMs: number
}

/** Builds the sender. */
export function createReportSender(context: AgentContext, outbox: Outbox): ReportSender {
  const { client, emit, now, random, timers } = context
  const ready = new Map<string, SearchReport>()
  const settled = createRecentIds(1000)
  const listeners: (() => void)[] = []
  const retries = createRetrySchedule(now, random)
  const pace = createPace(100, now, timers) // 10 reports a second (C12)
  const wakeup = createAutoResetEvent(timers)
  let failures = 0

  async function settle(queryId: string): Promise<void> {
    settled.add(queryId)
    ready.delete(queryId)
    retries.forget(queryId)
    await context.guard('outbox', 'Clearing the outbox', () => outbox.delete(queryId), queryId)
    for (const listener of listeners) listener()
  }

  async function send(report: SearchReport, signal: AbortSignal): Promise<Sent> {
    const { queryId } = report
    await pace(signal)
    try {
      signal.throwIfAborted()
      const { status } = await client.reportSearch(report, signal)
      failures = 0
      await settle(queryId)
      emit('report:end', { queryId, status })
      return { taken: true, holdMs: 0 }
    } catch (cause) {
      if (signal.aborted) return { taken: false, holdMs: 0 }
      const error = toOwnError(cause, 'Reporting a search')
      context.noteError(error)
      if (isFinal(error)) {
        await settle(queryId)
        emit('report:error', { queryId, error })
        return { taken: false, holdMs: 0 }
      }
      failures += 1
      // Other reports go first after a shared pause: it may be this one that the cloud cannot take.
      const ownMs = retries.fail(queryId, error.retryAfterMs)
      const holdMs = isShared(error, failures)
        ? backoffMs({ failures, retryAfterMs: error.retryAfterMs, random })
        : 0
      emit('report:error', { queryId, error, retryInMs: Math.max(ownMs, holdMs) })
      return { taken: false, holdMs }
    }
  }

  return {
    async load() {
      for (const entry of await outbox.list()) {
        if (!ready.has(entry.queryId)) ready.set(entry.queryId, toReport(entry))
      }
    },
    add(report) {
      ready.set(report.queryId, report)
      wakeup.set()
    },
    onSettled: (listener) => void listeners.push(listener),
    waiting: () => [...ready.keys()],
    isEmpty: () => ready.size === 0,
    knows: (id) => ready.has(id) || settled.has(id),
    async run(signal) {
      while (!signal.aborted) {
        await context.admitted(signal)
        const waits = [...ready.keys()].map(retries.waitMs)
        const report = [...ready.values()][waits.indexOf(0)]
        if (!report) {
          await wakeup.wait(Math.min(...waits), signal)
          continue
        }
        const { holdMs } = await send(report, signal)
        if (holdMs > 0) await sleep(holdMs, signal, timers)
      }
    },
    async flush(signal) {
      let taken = 0
      for (const report of Array.from(ready.values())) {
        const sent = await send(report, signal)
        taken += Number(sent.taken)
        if (sent.holdMs > 0) break
      }
      return taken
    },
  }
}

/** What an entry of an earlier run reports. A search that was running is never run again: it may be what ended the process. */
function toReport(entry: OutboxEntry): SearchReport {
  if (entry.state === 'ready') return entry.report
  return toEmptyReport(entry.request, 'the agent restarted while it ran')
}
