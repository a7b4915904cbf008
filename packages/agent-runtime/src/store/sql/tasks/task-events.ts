import type { NewJournalEvent } from '../../ports/journal.ts'
import type { StoredTask, ToTaskEvent } from '../../ports/task-store.ts'

/** What the journal gets about tasks that have changed. */
export function eventsOf(
  tasks: readonly StoredTask[],
  toEvent: ToTaskEvent | undefined,
): readonly NewJournalEvent[] {
  if (toEvent === undefined) return []
  return tasks.map(toEvent).filter((event) => event !== undefined)
}
