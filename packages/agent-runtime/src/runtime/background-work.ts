import type { Agents } from '../agents/agents.ts'
import type { KeepTyping } from '../channels/delivery/typing.ts'
import type { LoadMessageFiles } from '../channels/files/load-message-files.ts'
import type { FileReference } from '../ports/file.ts'
import type { ChannelService } from '../channels/create-channels.ts'
import type { Graphs } from '../graphs/graphs.ts'
import type { LeaseKeeper } from '../leases/create-lease-keeper.ts'
import type { Models } from '../models/models.ts'
import type { Transcriber } from '../models/transcriber.ts'
import type { Tracing } from '../ports/instrumentation.ts'
import type { Logger } from '../ports/logger.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import type { NewTask, TaskSubject } from '../store/ports/task-store.ts'
import { readGivenFiles } from '../runs/given.ts'
import type { DriveGraph } from '../runs/graphs/graph-driver.ts'
import type { Runs } from '../runs/runs.ts'
import type { RuntimeOptions } from './runtime-options.ts'
import type { RuntimeSettings } from '../settings/runtime-settings.ts'
import type { ScheduleRunner } from '../schedules/create-schedules.ts'
import type { Tasks } from '../tasks/tasks.ts'
import type { Triggers } from '../triggers/triggers.ts'
import type { WorkerPool } from '../tasks/worker-pool.ts'
import { once } from '../concurrency/once.ts'

/** What {@link createBackgroundWork} is built from. */
interface BackgroundWorkOptions {
  readonly options: RuntimeOptions
  readonly store: RuntimeStore
  readonly settings: RuntimeSettings
  readonly agents: Agents
  /** Absolute path of an agent's folder, or of its folder for a user. */
  readonly workspace: (agentId: string, userId?: string) => Promise<string>
  readonly runs: Runs
  readonly models: Models
  readonly transcriber: () => Promise<Transcriber>
  readonly leases: LeaseKeeper
  readonly tracing: Tracing
  readonly logger: Logger
  readonly now: () => number
  readonly createId: () => string
}

/** Tasks, graphs, schedules and messaging channels of a runtime, each loaded when it is needed first. */
interface BackgroundWork {
  tasks(): Promise<Tasks>
  graphs(): Promise<Graphs>
  schedules(): Promise<ScheduleRunner>
  channels(): Promise<ChannelService>
  triggers(): Promise<Triggers>
  readonly driveGraph: DriveGraph
  /** Tells the workers of a task. */
  announce(task: NewTask): Promise<void>
  /** Goes on with what was left, and begins to carry out tasks and schedules, and to serve channels. */
  start(): Promise<void>
  /** Takes no more tasks, fires no more schedules, and leaves what is under way. */
  close(): Promise<void>
}

export function createBackgroundWork(context: BackgroundWorkOptions): BackgroundWork {
  const { options, store, agents, runs, leases, tracing, logger, now, createId } = context
  let isClosed = false

  const functions = once(async () => {
    const { createNodeFunctions } = await import('../graphs/node-functions.ts')
    return createNodeFunctions()
  })
  const graphs = once(async () => {
    const { createGraphs } = await import('../graphs/create-graphs.ts')
    return createGraphs({ store, runs, agents, functions: await functions(), now, createId })
  })
  const driver = once(async () => {
    const { createDriveGraph } = await import('../graphs/drive-graph.ts')
    return createDriveGraph({ runs, store, functions: await functions(), tracing, logger, now, createId })
  })
  const channelSet = once(async () => {
    const { createChannelSet } = await import('../channels/channel-set.ts')
    const { channels: own = [], fetch } = options
    return createChannelSet({ settings: context.settings, own, fetch, now })
  })
  const typing = once(async () => {
    const { createKeepTyping } = await import('../channels/delivery/typing.ts')
    return createKeepTyping({ set: await channelSet(), find: (id) => store.findChannelMessage(id) })
  })
  const startGraph: Graphs['start'] = async (request, given) => (await graphs()).start(request, given)
  const pool = once(async () => {
    const { createLoadMessageFiles } = await import('../channels/files/load-message-files.ts')
    const loadFiles = createLoadMessageFiles({
      store,
      set: { current: async () => (await channelSet()).current() },
      owner: leases.owner,
      transcribe: async (...given) => (await context.transcriber()).transcribe(...given),
      canRead: (agentId, file) => canRead(context, agentId, file),
      logger,
      now,
      createId,
    })
    const keepTyping: KeepTyping = async (task, signal) => (await typing())(task, signal)
    return openPool(context, startGraph, { keepTyping, loadFiles })
  })
  const announce = async (task: NewTask | undefined) => (await pool()).announce(task)
  const tasks = once(async () => openTasks(context, await pool()))
  const channels = once(async () => {
    const { createChannels } = await import('../channels/create-channels.ts')
    return createChannels({
      store,
      settings: context.settings,
      set: await channelSet(),
      findAgent: (id) => agents.find(id),
      listAgents: () => agents.list(),
      announceTask: announce,
      async stopTask(cancellation): Promise<void> {
        const { stopCancelled } = await import('../tasks/stop-cancelled.ts')
        await stopCancelled({ store, pool: await pool(), cancelRun: runs.cancel, logger }, cancellation)
      },
      runs,
      leases,
      logger,
      now,
      createId,
      random: options.random,
    })
  })
  const schedules = once(async () => openSchedules(context, await graphs(), pool, channels))

  const triggers = once(async () => openTriggers(context, announce))

  return {
    tasks,
    graphs,
    schedules,
    channels,
    triggers,
    announce,
    driveGraph: async (work) => (await driver())(work),
    async start() {
      const works = options.workers?.concurrency !== 0
      // Before the runs go on: the run of a task that has had all its attempts must not, it may be what kills the process.
      if (works) await (await pool()).prepare()
      await runs.recover()
      if (works) await (await pool()).start()
      if (options.schedules !== false && !isClosed) await (await schedules()).start()
      if (!isClosed) (await channels()).start()
    },
    async close() {
      isClosed = true
      await (await schedules.begun())?.close()
      await (await channels.begun())?.close()
      await (await pool.begun())?.close()
    },
  }
}

/** The workers of this process, which show that an answer is being written while they work on a message. */
async function openPool(
  { options, store, runs, leases, tracing, logger, now }: BackgroundWorkOptions,
  startGraph: Graphs['start'],
  { keepTyping, loadFiles }: { readonly keepTyping: KeepTyping; readonly loadFiles: LoadMessageFiles },
): Promise<WorkerPool> {
  const { withMessageFiles } = await import('../channels/files/with-message-files.ts')
  const { withTyping } = await import('../channels/delivery/typing.ts')
  const { createExecuteTask } = await import('../tasks/execute-task.ts')
  const { createWorkerPool } = await import('../tasks/worker-pool.ts')
  const { workers = {}, queue, random } = options
  const execute = createExecuteTask({ store, runs, startGraph, owner: leases.owner, tracing })
  return createWorkerPool({
    store,
    leases,
    work: withTyping(withMessageFiles(execute, loadFiles), keepTyping),
    ...(workers.concurrency !== undefined && { concurrency: workers.concurrency }),
    ...(workers.perAgent !== undefined && { perSubject: workers.perAgent }),
    queue,
    logger,
    now,
    ...(random && { random }),
  })
}

/** Whether the model of an agent reads a file. An agent or model that is not there is an error of the run, not of the file. */
async function canRead(
  { agents, models }: Pick<BackgroundWorkOptions, 'agents' | 'models'>,
  agentId: string,
  file: FileReference,
): Promise<boolean> {
  const { assertReadable } = await import('../models/fit/fit-files.ts')
  const agent = await agents.find(agentId)
  const model = agent && (await models.resolve(agent.model, agent.provider).catch(() => undefined))
  try {
    if (model) assertReadable('Reading a file', model, [file])
    return true
  } catch {
    return false
  }
}

async function openTriggers(
  context: BackgroundWorkOptions,
  announce: (task: NewTask) => Promise<void>,
): Promise<Triggers> {
  const { createTriggers } = await import('../triggers/create-triggers.ts')
  return createTriggers({
    ...context,
    announce,
    deliver: (signal) => context.runs.signal(signal),
    find: (subject) => findSubject(context, subject),
  })
}

/** The agent or graph of a task. */
const findSubject = async (
  { agents, store }: Pick<BackgroundWorkOptions, 'agents' | 'store'>,
  { kind, id }: TaskSubject,
  signal?: AbortSignal,
) => (kind === 'agent' ? agents.find(id, signal) : (await store.findGraph(id, signal)) && {})

async function openTasks(context: BackgroundWorkOptions, pool: WorkerPool): Promise<Tasks> {
  const { store, runs, tracing, logger, now, createId } = context
  const { createTasks } = await import('../tasks/create-tasks.ts')
  return createTasks({
    store,
    find: (subject, signal) => findSubject(context, subject, signal),
    async readFiles({ agent_id: id = '', user_id: userId, files = [] }) {
      const agent = await context.agents.find(id)
      return readGivenFiles(context, { id, workspace: agent?.workspace }, userId, files)
    },
    cancelRun: (id) => runs.cancel(id),
    tracing,
    pool,
    logger,
    now,
    createId,
  })
}

async function openSchedules(
  { options, store, agents, logger, now, createId }: BackgroundWorkOptions,
  graphs: Graphs,
  pool: () => Promise<WorkerPool>,
  channels: () => Promise<ChannelService>,
): Promise<ScheduleRunner> {
  const { createSchedules } = await import('../schedules/create-schedules.ts')
  return createSchedules({
    store,
    checkReportTo: async (...given) => (await channels()).checkReportTo(...given),
    announce: async (task) => (await pool()).announce(task),
    ...(options.queue && { onFired: (task) => void pool().then((workers) => workers.announce(task)) }),
    agents,
    graphs,
    timezone: options.timezone,
    logger,
    now,
    createId,
  })
}
