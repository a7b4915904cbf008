import type { RuntimeStore } from '../ports/runtime-store.ts'
import type { RunFinish } from '../ports/run-store.ts'
import { RuntimeError } from '../runtime-error.ts'
import type { Plan } from '../sql/plan.ts'
import { createRuntimePlans } from '../sql/runtime-plans.ts'
import type { SqliteStatement } from './connection.ts'
import { openConnection } from './connection.ts'
import { createSqliteBuilder } from './dialect.ts'
import { createGroupWriter } from './group-writer.ts'
import { createMemoryPlans } from './memory-plans.ts'
import { migrate } from './migrate.ts'
import { sqliteMigrations } from './migrations.ts'
import { toStoreError } from './sqlite-error.ts'

const dayMs = 86_400_000

/** Settings of {@link createSqliteStore}. */
export interface SqliteStoreOptions {
  /** Database file; it and its folder are made when missing. `:memory:` keeps everything in memory. */
  readonly path: string
  /** How long to wait while another process writes, in milliseconds. @default 5000 */
  readonly busyTimeoutMs?: number
  /**
   * How long the messages and stream events of a run are kept after it ended, in milliseconds. Its result stays.
   * @default 30 days
   */
  readonly keepRunStepsMs?: number
  /** How long a run is kept after it ended, in milliseconds. @default Infinity */
  readonly keepRunsMs?: number
  /** How long events of the journal are kept, in milliseconds. @default 90 days */
  readonly keepJournalMs?: number
  /** Most vectors that a search with an embedding compares; the newest ones count. @default 10000 */
  readonly maxVectors?: number
  /** Called for each statement, just before it runs; `begin` and `commit` are not counted. Must not throw. */
  readonly onStatement?: (statement: SqliteStatement) => void
}

/**
 * Keeps everything in one SQLite file, with the SQLite that comes with Node. Several processes may open it at once.
 *
 * What resolved survives a crash of the process. After a loss of power the file is sound, but the last moments of it may
 * be missing (`synchronous = NORMAL`). Agents, conversations and memories stay until they are deleted or expire; what
 * runs leave behind goes as the options say, a little with every run that ends.
 *
 * @throws {RuntimeError} `storage_error` when the file cannot be opened, is no database, or was written by a newer
 * release.
 * @example
 * const store = createSqliteStore({ path: '/var/lib/homeward/agents.db' })
 */
export function createSqliteStore(options: SqliteStoreOptions): RuntimeStore {
  const { path, busyTimeoutMs = 5000, maxVectors = 10_000, onStatement } = options
  const connection = openConnection({ path, busyTimeoutMs, onStatement })
  const builder = createSqliteBuilder()
  try {
    migrate(connection, builder, sqliteMigrations)
  } catch (error) {
    connection.close()
    throw error
  }

  const writer = createGroupWriter(connection)
  const plans = { ...createRuntimePlans(builder), ...createMemoryPlans(builder, { maxVectors }) }
  const finishRun = withPruning(plans, options)
  let closed = false

  const assertOpen = (signal: AbortSignal | undefined) => {
    signal?.throwIfAborted()
    if (closed)
      throw new RuntimeError('closed', 'Using the database failed: the store was closed. Open it again.')
  }
  const read = async <Result>(plan: Plan<Result>, signal: AbortSignal | undefined): Promise<Result> => {
    assertOpen(signal)
    try {
      return connection.runPlan(plan)
    } catch (error) {
      throw toStoreError(error, 'Reading the database')
    }
  }
  const write = async <Result>(
    plan: () => Plan<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result> => {
    assertOpen(signal)
    return writer.write(plan, signal)
  }

  return {
    insertAgent: (agent, signal) => write(() => plans.insertAgent(agent), signal),
    replaceAgent: (agent, signal) => write(() => plans.replaceAgent(agent), signal),
    deleteAgent: (id, signal) => write(() => plans.deleteAgent(id), signal),
    findAgent: (id, signal) => read(plans.findAgent(id), signal),
    listAgents: (signal) => read(plans.listAgents(), signal),

    appendMessages: (append, signal) => write(() => plans.appendMessages(append), signal),
    findConversation: (id, signal) => read(plans.findConversation(id), signal),
    listConversations: (filter, page, signal) => read(plans.listConversations(filter, page), signal),
    listMessages: (id, page, signal) => read(plans.listMessages(id, page), signal),
    setConversationTitle: (id, title, now, signal) =>
      write(() => plans.setConversationTitle(id, title, now), signal),
    saveSummary: (id, summary, throughSeq, signal) =>
      write(() => plans.saveSummary(id, summary, throughSeq), signal),
    deleteConversation: (id, signal) => write(() => plans.deleteConversation(id), signal),

    writeMemory: (memory, signal) => write(() => plans.writeMemory(memory), signal),
    searchMemories: (query, signal) => read(plans.searchMemories(query), signal),
    deleteMemory: (id, signal) => write(() => plans.deleteMemory(id), signal),

    insertRun: (run, journal, signal) => write(() => plans.insertRun(run, journal), signal),
    saveRunStep: (step, signal) => write(() => plans.saveRunStep(step), signal),
    finishRun: (finish, signal) => write(() => finishRun(finish), signal),
    decideApproval: (verdict, signal) => write(() => plans.decideApproval(verdict), signal),
    resumeRun: (runId, signal) => write(() => plans.resumeRun(runId), signal),
    findRun: (id, signal) => read(plans.findRun(id), signal),
    listRuns: (filter, page, signal) => read(plans.listRuns(filter, page), signal),
    listApprovals: (runId, signal) => read(plans.listApprovals(runId), signal),
    listRunMessages: (runId, signal) => read(plans.listRunMessages(runId), signal),
    listRunEvents: (runId, since, signal) => read(plans.listRunEvents(runId, since), signal),

    appendEvents: (events, signal) => write(() => plans.appendEvents(events), signal),
    listEvents: (filter, signal) => read(plans.listEvents(filter), signal),
    close: async () => {
      closed = true
      writer.flush()
      connection.close()
    },
  }
}

/** Ends a run and removes what is older than the options allow. */
function withPruning(plans: ReturnType<typeof createRuntimePlans>, options: SqliteStoreOptions) {
  const { keepRunStepsMs = 30 * dayMs, keepRunsMs = Infinity, keepJournalMs = 90 * dayMs } = options
  return function* finishRun(finish: RunFinish): Plan<boolean> {
    const finished = yield* plans.finishRun(finish)
    const prune = (keepMs: number, plan: (before: string) => Plan<void>) => {
      const before = Date.parse(finish.finishedAt) - keepMs
      return Number.isFinite(before) ? plan(new Date(before).toISOString()) : nothing()
    }
    if (!finished) return false
    yield* prune(keepRunStepsMs, plans.pruneSteps)
    yield* prune(keepRunsMs, plans.pruneRuns)
    yield* prune(keepJournalMs, plans.pruneJournal)
    return true
  }
}

function* nothing(): Plan<void> {}
