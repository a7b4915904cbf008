import type { LeaseKeeper } from '../leases/create-lease-keeper.ts'
import type { StoredTask, TaskStore } from '../store/ports/task-store.ts'
import { toEndedEvent } from './task-events.ts'

/** Tasks that are taken back at once. */
const takenBackAtOnce = 100

/** Takes back the tasks that their owners have left. @returns those that are in the queue again. */
export async function recoverTasks(
  store: Pick<TaskStore, 'reclaimTasks'>,
  leases: Pick<LeaseKeeper, 'isFresh' | 'renew'>,
  now: () => number,
): Promise<readonly StoredTask[]> {
  // After a pause what is worked on here looks left too: it is renewed first, or known to be lost.
  if (!leases.isFresh()) await leases.renew()
  if (!leases.isFresh()) return []
  const at = new Date(now()).toISOString()
  const reclaimed = await store.reclaimTasks({ now: at, limit: takenBackAtOnce, toEvent: toEndedEvent })
  return reclaimed.filter(({ status }) => status === 'queued')
}
