import type { Task, TaskStatus } from '@homeward/contract/agent-platform'
import type { InfiniteData, QueryClient, QueryKey } from '@tanstack/react-query'
import { isBeingRead, refresh, settled } from '../api/refresh.ts'

/** A page of the list as the server gave it. */
export interface TaskPage {
  readonly tasks: readonly Task[]
  readonly next: string | undefined
}

/** The pages of a list that were read so far. */
type TaskPages = InfiniteData<TaskPage, string | undefined>

/** What {@link followTasks} takes. */
interface TaskFollowerOptions {
  readonly queries: QueryClient
  /** Of the list that shows, and what it is filtered by. */
  readonly list: () => { readonly queryKey: QueryKey; readonly filter: TaskFilter }
  /** Reads one task; undefined where it is gone. */
  readonly readTask: (id: string) => Promise<Task | undefined>
}

/** Is told which tasks have changed. */
export interface TaskFollower {
  changed(id: string): void
  close(): void
}

/** Changes of so short a time are looked at together. */
const collectMs = 400
/** With more changed tasks than these, the list is read again instead of each of them. */
const maxSingleReads = 40

/**
 * Keeps a list of tasks up to date. A change is read alone, and not with all the pages that were read: a list of a hundred
 * thousand stays as quick as one of ten. What changes while the list is being read is looked at once it has been, and
 * gives up no page that somebody waits for. What fails is read with the next change.
 */
export function followTasks({ queries, list, readTask }: TaskFollowerOptions): TaskFollower {
  const changed = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isBusy = false
  let isClosed = false

  function schedule(): void {
    if (!isBusy && !isClosed) timer ??= setTimeout(() => void flush(), collectMs)
  }

  async function flush(): Promise<void> {
    const ids = [...changed]
    changed.clear()
    timer = undefined
    isBusy = true
    const isDone = await update(ids).then(
      () => true,
      () => false,
    )
    isBusy = false
    const isMore = changed.size > 0
    if (!isDone) for (const id of ids) changed.add(id)
    if (isMore) schedule()
  }

  async function update(ids: readonly string[]): Promise<void> {
    const { queryKey, filter } = list()
    if (ids.length > maxSingleReads) return refresh(queries, { queryKey, exact: true })
    await listSettled(queryKey)
    const read = await Promise.all(ids.map(readTask))
    await listSettled(queryKey)
    if (isClosed) return
    const found = read.filter((task) => task !== undefined)
    queries.setQueryData<TaskPages>(queryKey, (before) => before && patchPages(before, found, filter))
  }

  /** A page that comes in would hide what was changed before. */
  async function listSettled(queryKey: QueryKey): Promise<void> {
    const query = queries.getQueryCache().find({ queryKey, exact: true })
    while (query && isBeingRead(queries, query)) await settled(queries, query)
  }

  return {
    changed(id) {
      changed.add(id)
      schedule()
    },
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

/** All rows of the pages. */
export const toRows = ({ pages }: Pick<TaskPages, 'pages'>) => pages.flatMap(({ tasks }) => tasks)

/** Only where the last page goes on matters: all rows stand in the first. */
function patchPages(before: TaskPages, changed: readonly Task[], filter: TaskFilter): TaskPages {
  const hasMore = before.pages.at(-1)?.next !== undefined
  const tasks = patchTasks({ tasks: toRows(before), hasMore }, changed, filter)
  const pages = before.pages.map(({ next }, index) => ({ tasks: index === 0 ? tasks : [], next }))
  return { ...before, pages }
}

/** Which tasks are listed. Undefined ones do not matter. */
export interface TaskFilter {
  readonly status?: TaskStatus | undefined
  readonly agentId?: string | undefined
  readonly graphId?: string | undefined
}

/** What of a list is known: the newest tasks, as far as they were read. */
interface TaskRows {
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
