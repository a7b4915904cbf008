import type { Task, TaskStatus } from '@homeward/contract/agent-platform'

/** Which tasks are listed. Undefined ones do not matter. */
export interface TaskFilter {
  readonly status?: TaskStatus | undefined
  readonly agentId?: string | undefined
  readonly graphId?: string | undefined
}

/** What of a list is known: the newest tasks, as far as they were read. */
export interface TaskRows {
  readonly tasks: readonly Task[]
  /** Whether there are older ones that were not read. */
  readonly hasMore: boolean
}

/** The rows once some tasks have changed: those that fit no more are gone, and new ones stand where they belong. */
export function patchTasks(
  { tasks, hasMore }: TaskRows,
  changed: readonly Task[],
  filter: TaskFilter,
): Task[] {
  const byId = new Map(changed.map((task) => [task.id, task]))
  const kept = tasks.flatMap((task) => {
    const now = byId.get(task.id) ?? task
    byId.delete(task.id)
    return fits(now, filter) ? [now] : []
  })
  const oldest = tasks.at(-1)?.created_at ?? ''
  // What is older than all that was read comes with the pages that follow.
  const added = [...byId.values()].filter(
    (task) => fits(task, filter) && !(hasMore && task.created_at < oldest),
  )
  if (added.length === 0) return kept
  return [...added, ...kept].toSorted((one, other) => compare(other.created_at, one.created_at))
}

function fits(task: Task, { status, agentId, graphId }: TaskFilter): boolean {
  return (
    (status === undefined || task.status === status) &&
    (agentId === undefined || task.agent_id === agentId) &&
    (graphId === undefined || task.graph_id === graphId)
  )
}

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)
