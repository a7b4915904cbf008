import { toTimestamp } from '../context/time.ts'
import type { SearchContext } from '../searches/search-context.ts'
import { createDeviceFinder } from '../devices/find-devices.ts'
import type { StoredSavedSearch } from '../ports/saved-search-store.ts'
import { createNextRun } from './next-run.ts'
import { prepareRun } from './prepare-run.ts'

const atOnce = 50

/** Runs saved searches whose time has come. */
interface DueRuns {
  /** Begins all runs that are due. @returns when the next one is, in milliseconds since the epoch; undefined for never. */
  run(): Promise<number | undefined>
}

/** Creates what runs saved searches by their schedules: each time once, and one run for all times that were missed. */
export function createDueRuns(
  context: Pick<
    SearchContext,
    'store' | 'audit' | 'heartbeats' | 'now' | 'createId' | 'onlineWindowMs' | 'onError'
  >,
): DueRuns {
  const { store, audit, now, createId, onError } = context
  const finder = createDeviceFinder(context)
  const nextRunAt = createNextRun()

  async function begin(saved: StoredSavedSearch, dueAt: string): Promise<void> {
    const nowMs = now()
    const next = await nextRunAt(saved, nowMs)
    const call = { userId: saved.owner, actor: 'schedule' }
    const run = await prepareRun({ saved, finder, audit, createId, nowMs, call })
    const nextAt = 'problem' in next ? null : next.at
    if ('problem' in next)
      onError(new Error(`Running a saved search by its schedule failed: ${next.problem}`))
    const isFirst = await store.runDueSavedSearch({ id: saved.id, dueAt, nextAt, ...run })
    if (isFirst) audit.tell(run.audit)
  }

  return {
    async run() {
      for (;;) {
        const { due, nextAt } = await store.listDueSavedSearches(toTimestamp(now()), atOnce)
        for (const saved of due) if (saved.nextAt !== null) await begin(saved, saved.nextAt)
        if (due.length === 0) return nextAt === null ? undefined : Date.parse(nextAt)
      }
    },
  }
}
