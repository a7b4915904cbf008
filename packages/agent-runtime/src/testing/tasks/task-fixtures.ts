import type { RunResult } from '@homeward/contract/agent-platform'
import type { NewJournalEvent } from '../../store/ports/journal.ts'
import type { Journal } from '../../store/ports/journal.ts'
import type { NewAgentRun, RunStore } from '../../store/ports/run-store.ts'
import type { StoreSignals } from '../../store/ports/store-signal.ts'
import type {
  NewTask,
  StoredTask,
  TaskClaim,
  TaskOutcome,
  TaskSettlement,
  TaskStore,
} from '../../store/ports/task-store.ts'
import { at, oddText, progressOf, resultOf } from '../conformance-fixtures.ts'

/** Store parts that a task writes to. */
export type JournaledTasks = TaskStore & RunStore & Journal & StoreSignals

/** A task for agent `a1`, made and due at second 0. */
export function taskOf(id: string, changes: Partial<NewTask> = {}): NewTask {
  return {
    id,
    subject: { kind: 'agent', id: 'a1' },
    input: oddText,
    priority: 0,
    maxAttempts: 3,
    createdAt: at(0),
    runAt: changes.createdAt ?? at(0),
    ...changes,
  }
}

/** A task that a schedule made. */
export function scheduledOf(id: string, overlap: 'skip' | 'queue', changes: Partial<NewTask> = {}): NewTask {
  return taskOf(id, { scheduled: { schedule: '* * * * *', for: at(0), overlap }, ...changes })
}

/** A claim of owner `o1` at second 1, with a lease until second 21. */
export function claimOf(changes: Partial<TaskClaim> & { readonly owner?: string } = {}): TaskClaim {
  const { owner = 'o1', ...rest } = changes
  return { lease: { owner, until: at(21) }, now: at(1), limit: 1, perSubject: 100, ...rest }
}

/** The end of an attempt of owner `o1` at second 5. */
export function settlementOf(
  id: string,
  outcome: TaskOutcome,
  changes: Partial<TaskSettlement> = {},
): TaskSettlement {
  return { id, owner: 'o1', outcome, now: at(5), ...changes }
}

/** Outcomes of every kind. */
export const outcomes = {
  completed: { kind: 'completed', result: resultOf('r1') },
  failed: { kind: 'failed', failure: { code: 'run_error', message: oddText, retryable: false } },
  retry: { kind: 'retry', runAt: at(60) },
  parked: { kind: 'parked' },
  released: { kind: 'released' },
} as const satisfies Record<string, TaskOutcome>

/** What the journal gets about a task. */
export function taskEventOf(type: NewJournalEvent['type']) {
  return ({ id, attempt, updatedAt }: StoredTask): NewJournalEvent => ({
    type,
    timestamp: updatedAt,
    data: { task_id: id, attempt },
  })
}

/** Keeps tasks, one after the other. */
export async function addTasks(store: TaskStore, tasks: readonly NewTask[]): Promise<void> {
  for (const task of tasks) await store.insertTask(task, [])
}

/** Keeps a task and takes it. */
export async function runTask(store: TaskStore, task: NewTask, claim = claimOf()): Promise<void> {
  await store.insertTask(task, [])
  await store.claimTasks(claim)
}

/** Ids of tasks that are taken one by one, until there are none. */
export async function claimAll(store: TaskStore, claim: Partial<TaskClaim> = {}): Promise<string[]> {
  const ids: string[] = []
  for (;;) {
    const [task] = await store.claimTasks(claimOf(claim))
    if (task === undefined) return ids
    ids.push(task.id)
  }
}

/** A run of agent `a1` that has begun. */
export async function startRun(store: RunStore, id: string, parentRunId?: string): Promise<void> {
  const run: NewAgentRun = {
    kind: 'agent',
    id,
    agentId: 'a1',
    conversationId: 'c1',
    task: oddText,
    source: 'task',
    limits: {},
    store: false,
    model: 'test/echo',
    depth: 0,
    tainted: false,
    accounts: [],
    createdAt: at(0),
    ...(parentRunId !== undefined && { parentRunId }),
  }
  await store.insertRun(run, { owner: 'o1', until: at(1000) }, [])
}

/** Ends a run. */
export async function endRun(store: RunStore, id: string, result: RunResult = resultOf(id)): Promise<void> {
  await store.finishRun({
    runId: id,
    owner: 'o1',
    status: 'completed',
    result,
    finishedAt: at(9),
    durationMs: 9000,
    searched: [],
    messages: [],
    progress: progressOf(1),
    stream: { firstSeq: 1, events: [] },
    journal: [],
  })
}
