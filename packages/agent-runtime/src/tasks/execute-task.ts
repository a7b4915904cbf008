import type {
  GraphRunRequest,
  GraphRunResult,
  RunRequest,
  RunResult,
  RunSource,
} from '@homeward/contract/agent-platform'
import type { TaskFailureCode } from '@homeward/contract/agent-platform'
import type { StoredTask, TaskStore } from '../store/ports/task-store.ts'
import type { Tracing } from '../ports/instrumentation.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { isWaiting } from '../ports/waiting-agent.ts'
import type { GraphHandle, Runs } from '../runs/runs.ts'
import type { Attempt, TaskWork } from './attempt.ts'
import { reasonOf } from '../ports/reason-of.ts'

/** What {@link createExecuteTask} is built from. */
export interface ExecuteTaskOptions {
  readonly store: Pick<TaskStore, 'setTaskRun'>
  readonly runs: Pick<Runs, 'start' | 'attach' | 'find' | 'cancel'>
  /** Starts the run of a graph, or joins the one with its idempotency key. */
  readonly startGraph: (
    request: GraphRunRequest,
    options: { readonly source: RunSource; readonly tainted?: boolean },
  ) => Promise<GraphHandle>
  /** Id of this runtime. */
  readonly owner: string
  /** Runs attempts inside of spans, if it was registered. @default none */
  readonly tracing?: Tracing
}

/**
 * Joins tasks to runs: a task is a run of its agent or its graph. The run's key is made of the task and the number of the
 * run, so that an attempt after a crash goes on with the run of the one before.
 */
export function createExecuteTask(options: ExecuteTaskOptions): TaskWork {
  const { store, runs, startGraph, owner, tracing } = options

  async function start(
    task: StoredTask,
  ): Promise<Pick<GraphHandle, 'runId'> & { result: Promise<TaskResult> }> {
    const idempotencyKey = `task:${task.id}:${task.runCount}`
    const source = sourceOf(task)
    const { files: storedFiles, untrusted: tainted } = task
    const options = { source, ...(tainted && { tainted }) }
    if (task.subject.kind === 'graph') return startGraph(toGraphRequest(task, idempotencyKey), options)
    // The run is found by its id even when the agent is gone meanwhile.
    if (task.runId !== undefined) return runs.attach(task.runId)
    const request = toRunRequest(task, idempotencyKey)
    const question = { questionId: `${task.id}.question`, isRetry: task.runCount > 0 }
    return runs.start(request, { ...options, ...question, ...(storedFiles && { storedFiles }) })
  }

  async function work(task: StoredTask, signal: AbortSignal): Promise<Attempt> {
    const { runId, result } = await start(task)
    result.catch(() => {}) // it may be left alone below
    if (!(await store.setTaskRun(task.id, owner, runId))) return { kind: 'released' }
    const left = await Promise.race([result.then(() => false), whenAborted(signal)])
    if (left && !isCancel(signal)) return { kind: 'released' }
    if (left) await runs.cancel(runId)
    const ended = await result
    return isInDoubt(ended) && !(await hasEnded(runId)) ? withItsRun(toAttempt(ended)) : toAttempt(ended)
  }

  const isStopped = async (runId: string) => (await runs.find(runId))?.status === 'cancelled'

  async function hasEnded(runId: string): Promise<boolean> {
    return (await runs.find(runId))?.finished_at !== undefined
  }

  return {
    async execute(task, signal) {
      try {
        if (task.afterRun !== undefined && (await isStopped(task.afterRun))) return stoppedBefore
        const traced = tracing?.current?.inside({ ...task, kind: 'task' }, () => work(task, signal))
        return await (traced ?? work(task, signal))
      } catch (error) {
        if (signal.aborted && !isCancel(signal)) return { kind: 'released' }
        return failedToRun(error)
      }
    },
    async conclude({ runId, afterRun, updatedAt: runAt }) {
      if (afterRun !== undefined && afterRun === runId)
        return (await isStopped(afterRun)) ? stoppedBefore : { kind: 'retry', runAt }
      const run = runId === undefined ? undefined : await runs.find(runId)
      if (!run)
        return failure(
          'not_found',
          'Resuming a task failed: the run that waited was deleted. Retry the task.',
          true,
        )
      return run.finished_at === undefined || !run.result ? undefined : toAttempt(run.result)
    },
  }
}

/** Of a task that waited for a run. */
const stoppedBefore = failure('cancelled', 'The run before this task was canceled.', false)

/** How the run of a task is started. */
function sourceOf({ channelMessage, scheduleId, triggerId, background }: StoredTask): RunSource {
  if (background) return 'background'
  if (channelMessage) return 'channel'
  if (triggerId !== undefined) return 'trigger'
  return scheduleId === undefined ? 'task' : 'schedule'
}

type TaskResult = RunResult | GraphRunResult

/** How a run's result counts for its task. */
function toAttempt(result: TaskResult): Attempt {
  const { stop_reason: reason } = result
  if (isWaiting(result) || result.code === 'approval') return { kind: 'parked' }
  if (result.success) return { kind: 'completed', result }
  const message = result.error ?? 'The run failed.'
  if (reason === 'cancelled' || result.code === 'cancelled')
    return { ...failure('cancelled', message, false), result }
  if (reason === 'max_runtime') return { ...failure('timeout', message, false), result }
  const { code, isRetryable } = kindOf(result.code)
  // The nodes of a graph are tried again by themselves, and another run would make those again that completed.
  const isGraph = 'node_results' in result && result.node_results.length > 0
  const mayPass = isRetryable || ('retryable' in result && result.retryable === true)
  return { ...failure(code, message, mayPass && !isGraph), result }
}

/** Codes of failures that may pass by themselves. A model's says so itself: a wrong key stays wrong. */
const passing = new Set(['timeout', 'storage_error', 'store_unavailable'])

function kindOf(code: string | undefined): { readonly code: TaskFailureCode; readonly isRetryable: boolean } {
  if (code === 'effect_uncertain' || code === 'not_found' || code === 'guard_refused')
    return { code, isRetryable: false }
  return { code: 'run_error', isRetryable: code !== undefined && passing.has(code) }
}

/** A run that could not be started, or whose end is not known. */
function failedToRun(error: unknown): Attempt {
  if (!RuntimeError.is(error)) {
    return failure('run_error', reasonOf(error), true)
  }
  if (error.code === 'closed') return { kind: 'released' }
  if (error.code === 'cancelled') return failure('cancelled', error.message, false)
  const { code, isRetryable } = kindOf(error.code)
  const attempt = failure(code, error.message, isRetryable || error.retryable)
  // what could not be written may be there, and what could not be read goes on
  return isInDoubt(error) ? withItsRun(attempt) : attempt
}

/** Whether the store knows another end than this, or none: a run that is not over goes on once its lease is. */
const isInDoubt = ({ code }: { readonly code?: string | undefined }) => code === 'storage_error'

/** Another run beside one that goes on would do its work twice. */
const withItsRun = (attempt: Attempt): Attempt =>
  attempt.kind === 'failed' ? { ...attempt, keepsRun: true } : attempt

function failure(code: TaskFailureCode, message: string, retryable: boolean) {
  return { kind: 'failed', failure: { code, message, retryable } } as const
}

function toRunRequest(task: StoredTask, idempotencyKey: string): RunRequest {
  const { subject, input, conversationId, userId, limits, budget, metadata } = task
  const { modelSettings, clientTools, outputSchema } = task
  return {
    agent_id: subject.id,
    task: input,
    ...(conversationId !== undefined && { conversation_id: conversationId }),
    ...(userId !== undefined && { user_id: userId }),
    ...(limits && { limits }),
    ...(budget && { budget }),
    ...(modelSettings && { model_settings: modelSettings }),
    ...(clientTools && { client_tools: [...clientTools] }),
    ...(outputSchema && { output_schema: outputSchema }),
    ...(metadata && { metadata }),
    idempotency_key: idempotencyKey,
  }
}

function toGraphRequest(task: StoredTask, idempotencyKey: string): GraphRunRequest {
  const { subject, input, userId, budget, metadata } = task
  return {
    graph_id: subject.id,
    input,
    ...(userId !== undefined && { user_id: userId }),
    ...(budget && { budget }),
    ...(metadata && { metadata }),
    idempotency_key: idempotencyKey,
  }
}

const isCancel = ({ reason }: AbortSignal) => RuntimeError.is(reason) && reason.code === 'cancelled'

/** True once it aborts. */
async function whenAborted(signal: AbortSignal): Promise<true> {
  if (signal.aborted) return true
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(true), { once: true })
  })
}
