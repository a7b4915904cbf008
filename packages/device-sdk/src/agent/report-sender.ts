import type { SearchReport } from '@homeward/contract/device-cloud'
import type { DeviceCloudError } from '../device-cloud-error.ts'
import type { Outbox } from '../ports/index.ts'
import type { AgentContext } from './agent-context.ts'
import { backoffMs } from './backoff.ts'
import { createBell } from './bell.ts'
import { isFinal, toOwnError } from './is-final.ts'
import { createPace } from './pace.ts'
import { createRecentIds } from './recent-ids.ts'
import { createRetrySchedule } from './retry-schedule.ts'

/** Sends reports until the cloud has them (C17). */
export interface ReportSender {
  /** Reads what an earlier run of the agent left. Searches that were running then become failed reports. */
  load(): Promise<void>
  /** Queues a report that the outbox keeps. */
  add(report: SearchReport): void
  /** Whether a search waits to be reported, or was reported lately. */
  knows(queryId: string): boolean
  /** Sends what is due until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>
  /** Sends everything once; gives how many the cloud took. Stops at the first failure of the connection. */
  flush(signal: AbortSignal): Promise<number>
}

/** Failures that any other report would meet too; the rest are about the one report. */
const sharedCodes = new Set(['UNREACHABLE', 'TIMEOUT', 'RATE_LIMITED', 'REDIRECTED', 'UNAUTHORIZED'])
const isShared = (error: DeviceCloudError) =>
  sharedCodes.has(error.code) || error.status === 503 || error.retryAfterMs !== undefined

/** Builds the sender. `onSettled` hears of each report that is done with. */
export function createReportSender(
  context: AgentContext,
  outbox: Outbox,
  onSettled: (queryId: string) => void,
): ReportSender {
  const { client, emit, now, random } = context
  const ready = new Map<string, SearchReport>()
  const settled = createRecentIds(1000)
  const retries = createRetrySchedule(now, random)
  const pace = createPace(100, now) // 10 reports a second (C12)
  const bell = createBell()
  let failures = 0

  async function settle(queryId: string): Promise<void> {
    settled.add(queryId)
    ready.delete(queryId)
    retries.forget(queryId)
    await outbox.delete(queryId).catch((error: unknown) => {
      emit('state:error', { part: 'outbox', queryId, error: toOwnError(error, 'Clearing the outbox') })
    })
    onSettled(queryId)
  }

  /** Sends one report. Gives the milliseconds that every report has to wait, 0 for none. */
  async function send(
    report: SearchReport,
    signal: AbortSignal,
  ): Promise<{ taken: boolean; holdMs: number }> {
    const { queryId } = report
    try {
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
      const shared = isShared(error)
      if (shared) failures += 1
      const retryInMs = shared
        ? backoffMs({ failures, retryAfterMs: error.retryAfterMs, random })
        : retries.fail(queryId, error.retryAfterMs)
      emit('report:error', { queryId, error, retryInMs })
      return { taken: false, holdMs: shared ? retryInMs : 0 }
    }
  }

  return {
    async load() {
      for (const entry of await outbox.list()) {
        const { queryId } = entry
        if (ready.has(queryId)) continue
        if (entry.state === 'ready') ready.set(queryId, entry.report)
        else ready.set(queryId, toRestartReport(queryId, entry.request))
      }
    },
    add(report) {
      ready.set(report.queryId, report)
      bell.ring()
    },
    knows: (queryId) => ready.has(queryId) || settled.has(queryId),
    async run(signal) {
      while (!signal.aborted) {
        await context.admitted(signal)
        const waits = [...ready.keys()].map((id) => ({ id, waitMs: retries.waitMs(id) }))
        const next = waits.find(({ waitMs }) => waitMs === 0)
        const report = next && ready.get(next.id)
        if (!report) {
          await bell.wait(Math.min(...waits.map(({ waitMs }) => waitMs)), signal)
          continue
        }
        await pace(signal)
        if (signal.aborted) return
        const { holdMs } = await send(report, signal)
        // A bell of its own: a new report must not cut the back-off short.
        if (holdMs > 0) await createBell().wait(holdMs, signal)
      }
    },
    async flush(signal) {
      let taken = 0
      for (const report of [...ready.values()]) {
        await pace(signal)
        signal.throwIfAborted()
        const sent = await send(report, signal)
        if (sent.taken) taken += 1
        if (sent.holdMs > 0) break
      }
      return taken
    },
  }
}

/** Never run again: the search may be what ended the process. */
function toRestartReport(
  queryId: string,
  request: { query: string; scope: readonly string[] },
): SearchReport {
  const error = 'the agent restarted while it ran'
  return {
    queryId,
    query: request.query.slice(0, 1000),
    scope: request.scope.slice(0, 16),
    results: {},
    error,
  }
}
