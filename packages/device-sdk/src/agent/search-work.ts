import type { SearchRequest } from '@homeward/contract/device-cloud'
import PQueue from 'p-queue'
import type { Outbox } from '../ports/index.ts'
import type { AgentContext } from './agent-context.ts'
import { toOwnError } from './is-final.ts'
import type { ReportSender } from './report-sender.ts'
import { runSearch, type SearchSetup } from './run-search.ts'
import type { PendingWork } from './poll-loop.ts'

/** Runs listed searches, a few at a time, and hands each report to the sender. */
export function createSearchWork(
  context: AgentContext,
  setup: SearchSetup & {
    readonly outbox: Outbox
    readonly sender: ReportSender
    readonly concurrency: number
  },
): PendingWork<SearchRequest> {
  const { emit, now } = context
  const { outbox, sender } = setup
  const queue = new PQueue({ concurrency: setup.concurrency })
  const running = new Set<string>()

  /** Keeps that the search runs, so that it is not run again should it end this process. */
  async function claim(request: SearchRequest): Promise<boolean> {
    const { id: queryId } = request
    const createdAt = new Date(now()).toISOString()
    try {
      await outbox.put({ queryId, state: 'running', request, createdAt })
      return true
    } catch (error) {
      emit('state:error', {
        part: 'outbox',
        queryId,
        error: toOwnError(error, 'Keeping a search in the outbox'),
      })
      return false
    }
  }

  async function run(request: SearchRequest, signal: AbortSignal): Promise<void> {
    const { id: queryId, query, scope } = request
    if (signal.aborted || !(await claim(request))) return
    const startedMs = now()
    emit('search:start', { queryId, query, scope })
    try {
      const { report, denied } = await runSearch(request, setup, signal)
      await context.audit({
        action: 'search',
        outcome: denied === undefined ? 'allowed' : 'denied',
        id: queryId,
        subject: query,
        scope,
        ...(denied === undefined ? {} : { reason: denied }),
      })
      const createdAt = new Date(now()).toISOString()
      await outbox.put({ queryId, state: 'ready', report, createdAt }).catch((error: unknown) => {
        // The report is still sent from memory; only a crash before that would turn it into a failed one.
        emit('state:error', {
          part: 'outbox',
          queryId,
          error: toOwnError(error, 'Keeping a report in the outbox'),
        })
      })
      sender.add(report)
      emit('search:end', { queryId, error: report.error ?? null, tookMs: now() - startedMs })
    } catch {
      // Stopped on purpose: the search stays pending at the cloud and is taken again after the next start.
      await outbox.delete(queryId).catch(() => {})
    }
  }

  return {
    take(requests, signal) {
      let taken = 0
      for (const request of requests) {
        const { id } = request
        if (running.has(id) || sender.knows(id)) continue
        running.add(id)
        taken += 1
        void queue.add(() => run(request, signal)).finally(() => running.delete(id))
      }
      return taken
    },
    isBusy: () => queue.size + queue.pending > 0,
    whenIdle: () => queue.onIdle(),
  }
}
