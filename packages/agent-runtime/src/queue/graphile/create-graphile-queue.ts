import type { Logger, Runner, WorkerUtils, AddJobsJobSpec } from 'graphile-worker'
import type * as Graphile from 'graphile-worker'
import type { Pool } from 'pg'
import { checkOptions } from '../../host-input/check-options.ts'
import { integerFrom, required, text, timerFrom } from '@homeward/kit'
import type { TaskQueue } from '../../tasks/task-queue.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'

/** Name of the job that stands for a task. */
const jobName = 'homeward_task'
/** Postgres keeps the priority of a job in two bytes. */
const mostPriority = 32_767
/**
 * A job never fails: its task does, and that is in the store. One whose process died is let go by graphile-worker after
 * hours; then it is tried once more, finds nothing to do, and is gone.
 */
const maxAttempts = 3
/** Exit code that graphile-worker sets when it stops because of a migration. */
const stoppedByMigration = 57
/** How long a worker that stopped by itself rests before it begins again. */
const restartMs = 1000

type Work = Parameters<TaskQueue['start']>[0]

/** Options of {@link createGraphileQueue}. */
export interface GraphileQueueOptions {
  /** Database of the jobs, best the database of the store. */
  readonly connectionString: string
  /** Schema of the jobs, which graphile-worker creates and upgrades. @default 'homeward_jobs' */
  readonly schema?: string
  /** Interval of checks for due jobs, in milliseconds. New jobs are announced at once. @default 1000 */
  readonly pollMs?: number
  /** Maximum number of connections, at least 2; one is used for LISTEN. @default 4 */
  readonly maxConnections?: number
}

/**
 * Creates a queue that notifies workers of tasks by graphile-worker, on any number of machines.
 *
 * The tasks themselves stay in the store: a job is only a ticket for a task. If a ticket is lost, workers still find
 * the task when they check the store.
 *
 * @throws {RuntimeError} `validation_error` if an option is invalid; `storage_error`, from each of its functions, if
 * `graphile-worker` or `pg` is not installed, or Postgres cannot be reached.
 * @example
 * const store = await createPostgresStore({ connectionString })
 * const runtime = createRuntime({ store, queue: createGraphileQueue({ connectionString }) })
 */
export function createGraphileQueue(options: GraphileQueueOptions): TaskQueue {
  checkOptions<GraphileQueueOptions>('Creating the task queue', options, {
    connectionString: required(text),
    schema: text,
    pollMs: timerFrom(1),
    maxConnections: integerFrom(2),
  })
  const { schema = 'homeward_jobs', pollMs = 1000, maxConnections = 4 } = options
  let connecting: Promise<Connected> | undefined
  let runner: Runner | undefined
  let isClosed = false
  let restart: NodeJS.Timeout | undefined

  const connected = (): Promise<Connected> => {
    if (isClosed)
      throw new RuntimeError(
        'closed',
        'Using the task queue failed: the queue was closed. Create another one.',
      )
    return (connecting ??= connect({ ...options, schema, maxConnections }).catch((error: unknown) => {
      connecting = undefined
      throw error
    }))
  }

  async function run(work: Work, concurrency: number): Promise<void> {
    const { graphile, shared } = await connected()
    const begun = await graphile.run({
      ...shared,
      concurrency,
      pollInterval: pollMs,
      noHandleSignals: true,
      taskList: { [jobName]: (payload) => work(taskIdOf(payload)) },
      // Those that end in the same turn of the event loop are taken away together.
      preset: { worker: { completeJobBatchDelay: 0 } },
    })
    runner = begun
    if (isClosed) return begun.stop()
    // An error says that it could not be stopped in order; `close` reports that.
    const again = () => runAgain(work, concurrency)
    begun.promise.then(again, again)
  }

  // graphile-worker stops when any of its schemas in the database is migrated, also another program's: ours may still
  // fit, which it checks when it begins. Meanwhile the workers find tasks by their own looking.
  function runAgain(work: Work, concurrency: number): void {
    if (isClosed) return
    runner = undefined
    // Its sign for whoever runs nothing else; this process goes on.
    if (process.exitCode === stoppedByMigration) process.exitCode = undefined
    restart = setTimeout(() => {
      run(work, concurrency).catch(() => runAgain(work, concurrency))
    }, restartMs)
  }

  return {
    async start(work, concurrency) {
      try {
        await run(work, concurrency)
      } catch (error) {
        throw RuntimeError.is(error) ? error : toQueueError(error)
      }
    },

    async deliver({ id, priority, runAt }) {
      const { addJob } = await connected()
      try {
        await addJob({
          identifier: jobName,
          payload: { id },
          jobKey: id,
          runAt: new Date(runAt),
          // Ours is the larger the sooner, theirs the smaller the sooner.
          priority: Math.max(-mostPriority, Math.min(mostPriority, -priority)),
          maxAttempts,
        })
      } catch (error) {
        throw toQueueError(error)
      }
    },

    async close() {
      if (isClosed) return
      isClosed = true
      clearTimeout(restart)
      // Waits for the work under way.
      await runner?.stop()
      const { utils, pool } = (await connecting?.catch(() => undefined)) ?? {}
      await utils?.release()
      await pool?.end()
    },
  }
}

interface Connected {
  readonly graphile: typeof Graphile
  readonly pool: Pool
  readonly shared: {
    readonly pgPool: Pool
    readonly schema: string
    readonly logger: Logger
  }
  readonly utils: WorkerUtils
  readonly addJob: ReturnType<typeof createJobBatch>
}

async function connect({
  connectionString,
  schema,
  maxConnections,
}: Pick<
  Required<GraphileQueueOptions>,
  'connectionString' | 'schema' | 'maxConnections'
>): Promise<Connected> {
  const { graphile, pg } = await load()
  const pool = new pg.Pool({
    connectionString,
    max: maxConnections,
    application_name: 'homeward-queue',
    connectionTimeoutMillis: 10_000,
  })
  // graphile-worker looks after broken connections itself; without listeners the process would end.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', () => {})
    // A task whose ticket is lost with the server's last moments is found by the workers' own looking.
    client.query('set synchronous_commit = off').catch(() => {})
  })
  const logger = new graphile.Logger(() => () => {})
  const shared = { pgPool: pool, schema, logger }
  try {
    const utils = await graphile.makeWorkerUtils(shared)
    await utils.migrate()
    const addJob = createJobBatch((specs) => utils.addJobs(specs))
    return { graphile, pool, shared, utils, addJob }
  } catch (error) {
    await pool.end()
    throw toQueueError(error)
  }
}

async function load() {
  try {
    const [graphile, { default: pg }] = await Promise.all([import('graphile-worker'), import('pg')])
    return { graphile, pg }
  } catch (error) {
    throw new RuntimeError(
      'storage_error',
      'Using the task queue failed: the package "graphile-worker" or "pg" is not installed. Run "npm install graphile-worker pg".',
      { cause: error },
    )
  }
}

function taskIdOf(payload: unknown): string {
  return typeof payload === 'object' && payload !== null && 'id' in payload ? String(payload.id) : ''
}

function toQueueError(cause: unknown): RuntimeError {
  return new RuntimeError(
    'storage_error',
    'Using the task queue failed: graphile-worker reported an error, see the cause. Check that Postgres is running and the connection string is correct.',
    { cause, retryable: true },
  )
}

/** A ticket for a task. */
export type JobSpec = AddJobsJobSpec & { readonly jobKey: string }

/** Most tickets that one statement adds. */
const mostAtOnce = 500

/**
 * Adds jobs with as few statements as there is time for: those that come while one is under way go together with the
 * next one. A later spec of the same key replaces an earlier one.
 *
 * @param addJobs adds jobs of distinct keys, all or none.
 * @returns what adds one job; it rejects with what `addJobs` rejects with.
 */
export function createJobBatch(
  addJobs: (specs: readonly JobSpec[]) => Promise<unknown>,
): (spec: JobSpec) => Promise<void> {
  let waiting = new Map<string, { readonly spec: JobSpec; readonly added: PromiseWithResolvers<void> }>()
  let isAdding = false

  async function addAll(): Promise<void> {
    isAdding = true
    while (waiting.size > 0) {
      const all = [...waiting.entries()]
      waiting = new Map(all.slice(mostAtOnce))
      // In the order of keys: statements of two processes never wait for each other in a circle.
      const batch = all.slice(0, mostAtOnce).toSorted(([a], [b]) => (a < b ? -1 : 1))
      try {
        await addJobs(batch.map(([, { spec }]) => spec))
        for (const [, { added }] of batch) added.resolve()
      } catch (error) {
        for (const [, { added }] of batch) added.reject(error)
      }
    }
    isAdding = false
  }

  return (spec) => {
    const added = waiting.get(spec.jobKey)?.added ?? Promise.withResolvers<void>()
    waiting.set(spec.jobKey, { spec, added })
    if (!isAdding) void addAll()
    return added.promise
  }
}
