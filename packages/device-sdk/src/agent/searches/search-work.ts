import {
  foundScopes,
  type SearchReport,
  type SearchRequest,
  type SearchResults,
} from '@homeward/contract/device-cloud'
import { jsonBytes } from '../../json-bytes.ts'
import { askOwner } from '../../policy/device-policy.ts'
import type { Outbox } from '../../ports/index.ts'
import type { AgentContext } from '../agent-context.ts'
import { toEmptyReport } from './empty-report.ts'
import { createLimiter } from '../pace/limiter.ts'
import { createRecentIds } from '../recent-ids.ts'
import type { ReportSender } from './report-sender.ts'
import { runSearch, type SearchOutcome, type SearchOptions } from './run-search.ts'
import type { PendingWork } from '../pending-work.ts'

/** More searches than this are left at the cloud until some are done. */
const maxKnown = 1000

/** Runs listed searches, a few at a time, and hands each report to the sender. */
export function createSearchWork(
  context: AgentContext,
  options: SearchOptions & {
    readonly outbox: Outbox
    readonly sender: ReportSender
    readonly concurrency: number
  },
): PendingWork<SearchRequest> {
  const { emit, guard, now } = context
  const keep = createKeep(context, options.outbox)
  const { outbox, sender, policy } = options
  const limiter = createLimiter(options.concurrency)
  /** Those that wait for the owner of the device are among them. */
  const all = createLimiter(Infinity)
  const running = new Set<string>()
  const unkept = [createRecentIds(maxKnown), createRecentIds(maxKnown)]

  /**
   * Left at the cloud for the next poll. The third time it is reported as failed, because the disk of a device can stay full.
   * While reports wait it is they that fill the outbox, and not for long.
   */
  function putOff(request: SearchRequest): void {
    const free = unkept.find((ids) => !ids.has(request.id))
    if (free) free.add(request.id)
    else if (sender.isEmpty())
      sender.add(toEmptyReport(request, 'the device cannot store searches: its outbox failed three times'))
  }

  /** Records what came of a search, and hands its report to the sender. */
  async function finish(
    { query, scope, actor }: SearchRequest,
    { report, denied }: SearchOutcome,
    startedMs: number,
  ): Promise<void> {
    const { queryId, results } = report
    await context.audit({
      action: 'search',
      outcome: denied === undefined ? 'allowed' : 'denied',
      id: queryId,
      subject: query,
      scope,
      actor,
      ...sentOf(results ?? {}),
      reason: denied,
    })
    // When this fails the report is still sent from memory.
    await keep(queryId, { state: 'ready', report })
    sender.add(report)
    emit('search:end', { queryId, error: report.error ?? null, tookMs: now() - startedMs })
  }

  /** Asks the owner first: until a yes nothing is stored that would run after a restart. */
  async function handle(request: SearchRequest, signal: AbortSignal): Promise<void> {
    const startedMs = now()
    if (policy.consent) {
      const denied = await askOwner(policy, { action: 'search', request }, context.timers, signal)
      if (denied) return finish(request, { report: toEmptyReport(request, denied), denied }, startedMs)
    }
    await limiter.run(() => run(request, signal))
  }

  async function run(request: SearchRequest, signal: AbortSignal): Promise<void> {
    const { id: queryId, query, scope } = request
    if (signal.aborted) return
    // Kept before it runs: should the search end this process, it is reported as failed instead of run again.
    if (!(await keep(queryId, { state: 'running', request }))) return putOff(request)
    const startedMs = now()
    emit('search:start', { queryId, query, scope })
    const outcome = await runSearch(request, options, signal).catch((): SearchOutcome | undefined =>
      // Whatever else went wrong is reported all the same: a search that ends without a word is listed and run for ever.
      signal.aborted ? undefined : { report: toEmptyReport(request, 'the search failed') },
    )
    if (!outcome) {
      // Stopped on purpose: the search stays pending at the cloud and is taken again after the next start.
      await guard('outbox', 'Clearing the outbox', () => outbox.delete(queryId), queryId)
      return
    }
    await finish(request, outcome, startedMs)
  }

  return {
    take(requests, signal) {
      let taken = 0
      for (const request of requests) {
        const { id } = request
        if (running.size >= maxKnown) break
        if (running.has(id) || sender.knows(id)) continue
        running.add(id)
        taken += 1
        const ended = all.run(() => handle(request, signal)).finally(() => running.delete(id))
        ended.catch(() => {}) // stopped while the owner was asked
      }
      return taken
    },
    known: () => [...running, ...sender.waiting()],
    isBusy: limiter.isBusy,
    whenIdle: all.whenIdle,
    onDone: sender.onSettled,
  }
}

/** How much a report gives away. */
function sentOf(results: SearchResults): { readonly rows: number; readonly bytes: number } {
  const found = foundScopes(results)
  const rows = found.map(([, value]) => (Array.isArray(value) ? value.length : 1))
  return {
    rows: rows.reduce((sum, count) => sum + count, 0),
    bytes: found.length === 0 ? 0 : jsonBytes(results),
  }
}

/** Stores a search, or its report. A failure becomes an event, and `false`. */
function createKeep({ guard, now }: AgentContext, outbox: Outbox) {
  return (
    queryId: string,
    entry: { state: 'running'; request: SearchRequest } | { state: 'ready'; report: SearchReport },
  ): Promise<boolean> => {
    const createdAt = new Date(now()).toISOString()
    const put = () => outbox.put({ queryId, createdAt, ...entry })
    return guard('outbox', 'Storing a search in the outbox', put, queryId)
  }
}
