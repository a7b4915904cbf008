import type { Kysely } from 'kysely'
import {
  type Connection,
  type ConnectionOptions,
  createGroupWriter,
  createIdleCheckpoints,
  createSqliteBuilder,
  migrate,
  openConnection,
  type SqliteStatement,
  toSqliteFailure,
  runPlan,
} from '@homeward/kit/sqlite'
import { checkNames, type OptionNames } from '../../host-input/check-names.ts'
import { checkNumbers, wholeFrom } from '../../host-input/check-numbers.ts'
import { checkTexts } from '../../host-input/check-texts.ts'
import type { RuntimeStore } from '../ports/runtime-store.ts'
import type { StoreSignal } from '../ports/store-signal.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { createSignalHub } from '../../concurrency/signal-hub.ts'
import type { Plan } from '../sql/plan.ts'
import { createRuntimePlans } from '../sql/runtime-plans.ts'
import type { RuntimeTables } from '../sql/schema.ts'
import { createUsagePlans } from '../sql/usage/usage-plans.ts'
import { journalField } from './journal-field.ts'
import { createSqliteJournalPlans } from './journal-plans.ts'
import { createMemoryPlans } from './memory-plans.ts'
import { sqliteMigrations } from './migrations.ts'
import { sumUsage } from './sum-usage.ts'
import { toRuntimeError } from '../to-runtime-error.ts'
import { createTurnMessages } from './turn-messages.ts'

/** Settings of {@link createSqliteStore}. */
export interface SqliteStoreOptions {
  /** Database file; it and its folder are made when missing. `:memory:` keeps everything in memory. */
  readonly path: string
  /** How long to wait while another process writes, in milliseconds. @default 5000 */
  readonly busyTimeoutMs?: number
  /** Most vectors that a search with an embedding compares; the newest ones count. @default 10000 */
  readonly maxVectors?: number
  /** Called for each statement, just before it runs; `begin` and `commit` are not counted. Must not throw. */
  readonly onStatement?: (statement: SqliteStatement) => void
}

const names: OptionNames<SqliteStoreOptions> = {
  path: true,
  busyTimeoutMs: true,
  maxVectors: true,
  onStatement: true,
}

/**
 * Keeps everything in one SQLite file, with the SQLite that comes with Node. Several processes may open it at once.
 *
 * What resolved survives a crash of the process. After a loss of power the file is sound, but the last moments of it may
 * be missing (`synchronous = NORMAL`). Memories that expired go as others are written; what else is old goes by `prune`,
 * which a runtime calls as its option `retention` says.
 *
 * @throws {RuntimeError} `storage_error` when the file cannot be opened, is no database, or was written by a newer
 * release; `validation_error` when an option cannot be used.
 * @example
 * const store = createSqliteStore({ path: '/var/lib/homeward/agents.db' })
 */
export function createSqliteStore(options: SqliteStoreOptions): RuntimeStore {
  checkTexts('Opening the database', options, ['path'])
  checkNumbers('Opening the database', options, { busyTimeoutMs: wholeFrom(0), maxVectors: wholeFrom(0) })
  checkNames('Opening the database', options, names)
  const { path, busyTimeoutMs = 5000, maxVectors = 10_000, onStatement } = options
  const builder = createSqliteBuilder<RuntimeTables>()
  const connection = open({ path, busyTimeoutMs, onStatement }, builder)

  const hub = createSignalHub()
  const journal = createSqliteJournalPlans(builder)
  const checkpoints = createIdleCheckpoints({
    checkpoint: () => connection.exec('pragma wal_checkpoint(passive)'),
    isAwaited: () => writer.isAwaited(),
  })
  const writer = createGroupWriter<StoreSignal>(connection, {
    committed(signals, writes) {
      checkpoints.written(writes)
      hub.tell(signals)
    },
    rolledBack: journal.forget,
    committing: journal.writeEvents,
  })
  const plans = {
    ...createRuntimePlans(builder, journal, createTurnMessages(builder)),
    ...createMemoryPlans(builder, { maxVectors }),
    ...createUsagePlans(builder, journalField),
  }
  let closed = false

  const assertOpen = (signal: AbortSignal | undefined) => {
    signal?.throwIfAborted()
    if (closed)
      throw new RuntimeError('closed', 'Using the database failed: the store was closed. Open it again.')
  }
  const read = async <Result>(plan: Plan<Result>, signal: AbortSignal | undefined): Promise<Result> => {
    assertOpen(signal)
    try {
      return runPlan(connection, plan)
    } catch (error) {
      throw toRuntimeError(toSqliteFailure(error, 'Reading the database'))
    }
  }
  const write = async <Result>(
    plan: () => Plan<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result> => {
    assertOpen(signal)
    try {
      return await writer.write(plan, signal)
    } catch (error) {
      throw toRuntimeError(error)
    }
  }

  return {
    ...createVerbs(plans, read, write),
    subscribe: (listener) => hub.subscribe(listener),
    isDurable: path !== ':memory:',
    close: async () => {
      closed = true
      writer.flush()
      checkpoints.close()
      connection.close()
    },
  }
}

function open(options: ConnectionOptions, builder: Kysely<RuntimeTables>): Connection {
  let connection: Connection | undefined
  try {
    connection = openConnection(options)
    migrate(connection, builder, sqliteMigrations)
    return connection
  } catch (error) {
    connection?.close()
    throw toRuntimeError(error)
  }
}

type Plans = ReturnType<typeof createRuntimePlans> &
  ReturnType<typeof createMemoryPlans> &
  ReturnType<typeof createUsagePlans>
type Read = <Result>(plan: Plan<Result>, signal: AbortSignal | undefined) => Promise<Result>
type Write = <Result>(plan: () => Plan<Result>, signal: AbortSignal | undefined) => Promise<Result>

function createVerbs(
  plans: Plans,
  read: Read,
  write: Write,
): Omit<RuntimeStore, 'subscribe' | 'isDurable' | 'close'> {
  return {
    insertAgent: (agent, signal) => write(() => plans.insertAgent(agent), signal),
    replaceAgent: (agent, signal) => write(() => plans.replaceAgent(agent), signal),
    deleteAgent: (id, signal) => write(() => plans.deleteAgent(id), signal),
    findAgent: (id, signal) => read(plans.findAgent(id), signal),
    listAgents: (signal) => read(plans.listAgents(), signal),

    insertGraph: (graph, signal) => write(() => plans.insertGraph(graph), signal),
    replaceGraph: (graph, signal) => write(() => plans.replaceGraph(graph), signal),
    deleteGraph: (id, signal) => write(() => plans.deleteGraph(id), signal),
    findGraph: (id, signal) => read(plans.findGraph(id), signal),
    listGraphs: (signal) => read(plans.listGraphs(), signal),

    appendMessages: (append, signal) => write(() => plans.appendMessages(append), signal),
    findConversation: (id, signal) => read(plans.findConversation(id), signal),
    listConversations: (filter, page, signal) => read(plans.listConversations(filter, page), signal),
    listMessages: (id, page, signal) => read(plans.listMessages(id, page), signal),
    setConversationTitle: (id, title, now, signal) =>
      write(() => plans.setConversationTitle(id, title, now), signal),
    saveSummary: (conversation, summary, throughSeq, signal) =>
      write(() => plans.saveSummary(conversation, summary, throughSeq), signal),
    deleteConversation: (id, signal) => write(() => plans.deleteConversation(id), signal),

    writeMemory: (memory, signal) => write(() => plans.writeMemory(memory), signal),
    findMemory: (id, signal) => read(plans.findMemory(id), signal),
    searchMemories: (query, signal) => read(plans.searchMemories(query), signal),
    deleteMemory: (id, signal) => write(() => plans.deleteMemory(id), signal),

    insertRun: (run, lease, journal, signal) => write(() => plans.insertRun(run, lease, journal), signal),
    saveRunStep: (step, signal) => write(() => plans.saveRunStep(step), signal),
    saveEffect: (effect, signal) => write(() => plans.saveEffect(effect), signal),
    listEffects: (runId, signal) => read(plans.listEffects(runId), signal),
    finishRun: (finish, signal) => write(() => plans.finishRun(finish), signal),
    renewRuns: (lease, ids, signal) => write(() => plans.renewRuns(lease, ids), signal),
    claimRuns: (claim, signal) => write(() => plans.claimRuns(claim), signal),
    releaseRuns: (owner, ids, signal) => write(() => plans.releaseRuns(owner, ids), signal),
    requestRunCancel: (id, signal) => write(() => plans.requestRunCancel(id), signal),
    decideApproval: (verdict, signal) => write(() => plans.decideApproval(verdict), signal),
    resumeRun: (runId, lease, signal) => write(() => plans.resumeRun(runId, lease), signal),
    findRun: (id, signal) => read(plans.findRun(id), signal),
    listRuns: (filter, page, signal) => read(plans.listRuns(filter, page), signal),
    listApprovals: (runIds, signal) => read(plans.listApprovals(runIds), signal),
    listRunMessages: (runId, signal) => read(plans.listRunMessages(runId), signal),
    listRunEvents: (runId, since, signal) => read(plans.listRunEvents(runId, since), signal),

    insertTask: (task, journal, signal) => write(() => plans.insertTask(task, journal), signal),
    claimTasks: (claim, signal) => write(() => plans.claimTasks(claim), signal),
    renewTasks: (lease, ids, signal) => write(() => plans.renewTasks(lease, ids), signal),
    setTaskRun: (id, owner, runId, signal) => write(() => plans.setTaskRun(id, owner, runId), signal),
    settleTask: (settlement, signal) => write(() => plans.settleTask(settlement), signal),
    reclaimTasks: (reclaim, signal) => write(() => plans.reclaimTasks(reclaim), signal),
    cancelTask: (id, now, toEvent, signal) => write(() => plans.cancelTask(id, now, toEvent), signal),
    retryTask: (id, now, toEvent, signal) => write(() => plans.retryTask(id, now, toEvent), signal),
    findTask: (id, signal) => read(plans.findTask(id), signal),
    listTasks: (filter, page, signal) => read(plans.listTasks(filter, page), signal),
    listSettleableTasks: (limit, signal) => read(plans.listSettleableTasks(limit), signal),
    nextTaskTime: (signal) => read(plans.nextTaskTime(), signal),

    listScheduleCursors: (signal) => read(plans.listScheduleCursors(), signal),
    startSchedule: (cursor, signal) => write(() => plans.startSchedule(cursor), signal),
    stopSchedule: (subject, signal) => write(() => plans.stopSchedule(subject), signal),
    fireSchedules: (fires, signal) => write(() => plans.fireSchedules(fires), signal),

    reserveBudget: (reservation, signal) => write(() => plans.reserveBudget(reservation), signal),
    settleBudget: (settlement, signal) => write(() => plans.settleBudget(settlement), signal),
    readBudget: (key, signal) => read(plans.readBudget(key), signal),

    acceptMessages: (batch, signal) => write(() => plans.acceptMessages(batch), signal),
    claimDeliveries: (claim, signal) => write(() => plans.claimDeliveries(claim), signal),
    renewDeliveries: (lease, ids, signal) => write(() => plans.renewDeliveries(lease, ids), signal),
    saveDelivery: (delivery, signal) => write(() => plans.saveDelivery(delivery), signal),
    resolveChannelMessage: (decision, signal) => write(() => plans.resolveChannelMessage(decision), signal),
    findChannelMessage: (id, signal) => read(plans.findChannelMessage(id), signal),
    listChannelMessages: (filter, page, signal) => read(plans.listChannelMessages(filter, page), signal),
    countChannelMessages: (channel, signal) => read(plans.countChannelMessages(channel), signal),
    claimPolling: (source, lease, now, signal) => write(() => plans.claimPolling(source, lease, now), signal),
    releasePolling: (source, owner, signal) => write(() => plans.releasePolling(source, owner), signal),

    appendEvents: (events, signal) => write(() => plans.appendEvents(events), signal),
    lastEventSeq: (signal) => read(plans.lastEventSeq(), signal),
    listEvents: (filter, signal) => read(plans.listEvents(filter), signal),
    sumUsage: (query, signal) => sumUsage(plans, (plan) => read(plan, signal), query),
    prune: (limits, signal) => write(() => plans.prune(limits), signal),
  }
}
