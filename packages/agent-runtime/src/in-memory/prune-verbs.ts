import type { RetentionLimits } from '../store/ports/retention.ts'
import { pruneChannelMessages } from './channel-verbs.ts'
import { forgetPeriods, forgetRunBudget } from './budget-verbs.ts'
import { onlyResult } from './ended-run.ts'
import { dropBefore, readAfter } from './journal-records.ts'
import { forgetRuns } from './run-verbs.ts'
import type { Tables } from './tables.ts'
import { pruneTasks } from './task-verbs.ts'

/** {@link Retention.prune}, in memory: all at once, for nothing waits for it. */
export function prune(tables: Tables, limits: RetentionLimits): boolean {
  const { runStepsBefore, runsBefore, tasksBefore } = limits
  pruneJournal(tables, limits)
  if (tasksBefore !== undefined) pruneTasks(tables, tasksBefore)
  if (runStepsBefore !== undefined) forgetPeriods(tables, runStepsBefore)
  if (runStepsBefore === undefined && runsBefore === undefined) return false
  if (runsBefore !== undefined) pruneChannelMessages(tables, runsBefore)
  const gone: string[] = []
  for (const id of tables.finishedRuns) {
    const record = tables.runs.get(id)
    const finishedAt = record?.finishedAt
    if (record === undefined || finishedAt === undefined) continue
    if (runsBefore !== undefined && finishedAt < runsBefore) gone.push(id)
    else if (runStepsBefore !== undefined && finishedAt < runStepsBefore) {
      if (record.ended) record.ended = onlyResult(record.ended)
      forgetRunBudget(tables, record.run)
    }
  }
  forgetRuns(tables, gone)
  return false
}

function pruneJournal(
  { journal }: Tables,
  { journalBefore = '', journalEvents = Infinity }: RetentionLimits,
): void {
  let first = Math.max(journal.firstSeq, journal.lastSeq - journalEvents + 1)
  for (const [seq, { timestamp }] of readAfter(journal, first - 1)) {
    if (timestamp >= journalBefore) break
    first = seq + 1
  }
  // The newest one stays: it tells the next number.
  dropBefore(journal, Math.min(first, journal.lastSeq))
}
