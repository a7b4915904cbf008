import type { TaskFailure } from '@homeward/contract/agent-platform'
import type { StoredTask, TaskOutcome } from '../../ports/task-store.ts'

// What becomes of a task, for every store alike: what is given is never changed.

const parked = { kind: 'parked' } as const
const wasCancelled: TaskFailure = { code: 'cancelled', message: 'The task was cancelled.', retryable: false }

/** What the run of a task was before it was asked to stop: `still` when it waits or has ended. */
type RunBefore = 'working' | 'still' | 'unknown'

/**
 * The end of an attempt. One that would go on later is over when it was to be cancelled.
 *
 * @param run Of one with `stopsRun`. What it ended with, or waits for, counts.
 */
export function toSettled(
  task: StoredTask,
  outcome: TaskOutcome,
  now: string,
  run: RunBefore = 'unknown',
): StoredTask {
  if (run === 'still') return task.cancelRequested ? toCancelled(task, now) : toLater(task, parked, now)
  if (outcome.kind === 'completed') {
    return { ...free(task, now), status: 'completed', finishedAt: now, result: outcome.result }
  }
  if (outcome.kind === 'failed') {
    const { failure, result } = outcome
    return { ...free(task, now), status: 'failed', finishedAt: now, failure, ...(result && { result }) }
  }
  return task.cancelRequested ? toCancelled(task, now) : toLater(task, outcome, now)
}

/** A task that was cancelled. */
export function toCancelled(task: StoredTask, now: string): StoredTask {
  return {
    ...free(task, now),
    status: 'failed',
    cancelRequested: true,
    finishedAt: now,
    failure: wasCancelled,
  }
}

/** Whether a task whose owner is gone gets no further attempt: what its run does then would come of no task. */
export function isGivenUp({ cancelRequested, attempt, maxAttempts }: StoredTask): boolean {
  return cancelRequested || attempt >= maxAttempts
}

/**
 * A task whose owner is gone.
 *
 * @param run Of one that is given up: its run before it was asked to stop. What it ended with, or waits for, counts.
 */
export function toReclaimed(task: StoredTask, now: string, run: RunBefore): StoredTask {
  if (task.cancelRequested) return toCancelled(task, now)
  if (!isGivenUp(task)) return { ...free(task, now), status: 'queued' }
  if (run === 'still') return { ...free(task, now), parked: true }
  const attempts = task.maxAttempts === 1 ? 'its only attempt was' : `all ${task.maxAttempts} attempts were`
  const message = `The process that worked on the task is gone, and ${attempts} begun. Retry it to begin anew.`
  const failure: TaskFailure = { code: 'max_attempts', message, retryable: true }
  return { ...free(task, now), status: 'failed', finishedAt: now, failure }
}

/** A failed task that begins anew. */
export function toRetried(task: StoredTask, now: string): StoredTask {
  const { startedAt: _, finishedAt: __, result: ___, failure: ____, runId: _____, ...rest } = free(task, now)
  return {
    ...rest,
    status: 'queued',
    attempt: 0,
    runCount: task.runCount + 1,
    cancelRequested: false,
    runAt: now,
  }
}

/** Whether it can be taken as far as time is concerned. */
export function isReady({ status, runAt }: StoredTask, now: string): boolean {
  return status === 'queued' && runAt <= now
}

type Later = Extract<TaskOutcome, { kind: 'retry' | 'parked' | 'released' }>

function toLater(task: StoredTask, outcome: Later, now: string): StoredTask {
  const freed = free(task, now)
  if (outcome.kind === 'parked') return { ...freed, parked: true }
  if (outcome.kind === 'released') {
    return { ...freed, status: 'queued', attempt: Math.max(0, task.attempt - 1) }
  }
  if (outcome.keepsRun) return { ...freed, status: 'queued', runAt: outcome.runAt }
  const { runId: _, ...rest } = freed
  return { ...rest, status: 'queued', runAt: outcome.runAt, runCount: task.runCount + 1 }
}

/** Nobody works on it any more. */
function free(task: StoredTask, now: string): StoredTask {
  const { lease: _, ...rest } = task
  return { ...rest, parked: false, updatedAt: now }
}
