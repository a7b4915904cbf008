import type { ReportTarget, TaskRequest } from '@homeward/contract/agent-platform'
import type { NewFiles } from '../files/to-files.ts'
import { isSameFiles } from '../files/is-same-files.ts'
import { toTraceparent, type Tracing } from '../ports/instrumentation.ts'
import { silentLogger, type Logger } from '../ports/logger.ts'
import type { NewTask, StoredTask, TaskStore, TaskSubject } from '../store/ports/task-store.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { toCreatedEvent, toEndedEvent, toRetriedEvent } from './task-events.ts'
import type { Tasks } from './tasks.ts'
import { toReportTo } from './to-report-to.ts'
import { toTask } from './to-task.ts'
import { stopCancelled } from './stop-cancelled.ts'
import type { WorkerPool } from './worker-pool.ts'
import { boundedLimit } from '../paging/bounded-limit.ts'
import { readPage } from '../paging/read-page.ts'

/** What {@link createTasks} is built from. */
export interface TasksOptions {
  readonly store: TaskStore
  /** The agent or graph, with the chats that get its results; undefined if there is none. */
  readonly find: (
    subject: TaskSubject,
    signal?: AbortSignal,
  ) => Promise<{ readonly report_to?: readonly ReportTarget[] | undefined } | undefined>
  /** Reads the files of a request for an agent. */
  readonly readFiles: (request: TaskRequest) => Promise<NewFiles>
  /** Stops a run for good, whichever process works on it. */
  readonly cancelRun: (runId: string) => Promise<unknown>
  /** Tells the span that puts a task into the queue, if one was registered. @default none */
  readonly tracing?: Tracing
  /** Workers of this process: they begin with the first task. */
  readonly pool: Pick<WorkerPool, 'announce' | 'stop'>
  /** @default silent */
  readonly logger?: Logger
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number
  /** @default crypto.randomUUID */
  readonly createId?: () => string
}

const cancelling = 'Canceling a task'
const retrying = 'Retrying a task'

/** Builds the tasks of a runtime over a store (A7). */
export function createTasks(options: TasksOptions): Tasks {
  const { store, find: findSubject, readFiles, cancelRun, pool, tracing, logger = silentLogger } = options
  const { now = Date.now, createId = () => crypto.randomUUID() } = options
  const timestamp = () => new Date(now()).toISOString()

  async function find(id: string, attempt: string, signal?: AbortSignal): Promise<StoredTask> {
    const task = await store.findTask(id, signal)
    if (task) return task
    throw new RuntimeError('not_found', `${attempt} failed: no task has this id. List the tasks to find it.`)
  }

  const read = async (request: TaskRequest): Promise<NewFiles | undefined> =>
    request.agent_id === undefined || !request.files?.length ? undefined : readFiles(request)

  return {
    async create(given, signal) {
      const asNamed = toNewTask(given, createId(), timestamp())
      const subject = await findSubject(asNamed.subject, signal)
      if (!subject) throw missing(asNamed.subject)
      const task = { ...asNamed, ...toReportTo(subject.report_to) }
      const asked = { ...task, ...(tracing?.current && toTraceparent(tracing)), ...(await read(given)) }
      const { task: kept, created } = await store.insertTask(asked, [toCreatedEvent(task)], signal)
      if (!created) assertSame(kept, asked)
      await pool.announce(created ? kept : undefined)
      return { task: toTask(kept), created }
    },
    get: async (id, signal) => toTask(await find(id, 'Getting a task', signal)),
    async find(id, signal) {
      const task = await store.findTask(id, signal)
      return task && toTask(task)
    },
    async list({ limit = 100, cursor, ...filter } = {}, signal) {
      const page = { limit: boundedLimit(limit, 500), cursor }
      const { rows, nextCursor } = await readPage('tasks', page, (part) =>
        store.listTasks(filter, part, signal),
      )
      return { tasks: rows.map(toTask), ...(nextCursor !== undefined && { nextCursor }) }
    },
    async cancel(id) {
      await find(id, cancelling)
      const cancellation = await store.cancelTask(id, timestamp(), toEndedEvent)
      await stopCancelled({ store, pool, cancelRun, logger }, cancellation)
      return toTask(await find(id, cancelling))
    },
    async retry(id) {
      await find(id, retrying)
      const task = await store.retryTask(id, timestamp(), toRetriedEvent)
      if (!task) {
        throw new RuntimeError(
          'conflict',
          `${retrying} failed: only a failed task can be retried. Wait until the task ends, or cancel it.`,
        )
      }
      await pool.announce(task)
      return toTask(task)
    },
  }
}

function toNewTask(request: TaskRequest, id: string, createdAt: string): NewTask {
  const { agent_id, graph_id, conversation_id, user_id, limits, budget, metadata, idempotency_key } = request
  const { model_settings, client_tools, output_schema } = request
  return {
    id,
    subject: graph_id === undefined ? { kind: 'agent', id: agent_id ?? '' } : { kind: 'graph', id: graph_id },
    input: request.task,
    ...(conversation_id !== undefined && { conversationId: conversation_id }),
    ...(user_id !== undefined && { userId: user_id }),
    ...(limits && { limits }),
    ...(budget && { budget }),
    ...(model_settings && { modelSettings: model_settings }),
    ...(client_tools && { clientTools: client_tools }),
    ...(output_schema && { outputSchema: output_schema }),
    priority: request.priority ?? 0,
    maxAttempts: request.max_attempts ?? 3,
    ...(metadata && { metadata }),
    ...(idempotency_key !== undefined && { idempotencyKey: idempotency_key }),
    createdAt,
    runAt: createdAt,
  }
}

function missing({ kind }: TaskSubject): RuntimeError {
  return new RuntimeError(
    'not_found',
    `Creating a task failed: no ${kind} has this id. List the ${kind}s to find it.`,
  )
}

/** A key names one piece of work: whoever sends another one under it made a mistake. */
function assertSame(kept: StoredTask, wanted: NewTask): void {
  const { subject, input, userId, conversationId } = kept
  if (
    subject.kind === wanted.subject.kind &&
    subject.id === wanted.subject.id &&
    input === wanted.input &&
    userId === wanted.userId &&
    conversationId === wanted.conversationId &&
    isSameFiles(kept.files, wanted.files)
  )
    return
  throw new RuntimeError(
    'conflict',
    'Creating a task failed: this idempotency key was used for another task. Send a new key, or the same request as before.',
  )
}
