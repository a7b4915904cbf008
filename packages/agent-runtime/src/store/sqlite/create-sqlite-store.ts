import { bindPlans } from '@homeward/kit/sql'
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
import { checkNumbers } from '../../host-input/check-settings.ts'
import { integerFrom } from '@homeward/kit'
import { checkTexts } from '../../host-input/check-settings.ts'
import type { RuntimeStore } from '../ports/runtime-store.ts'
import type { StoreSignal } from '../ports/store-signal.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { createSignalHub } from '../signal-hub.ts'
import type { Plan } from '../sql/plan.ts'
import { createRuntimePlans } from '../sql/runtime-plans.ts'
import type { RuntimeTables } from '../sql/schema.ts'
import { createUsagePlans } from '../sql/usage/usage-plans.ts'
import { type RuntimeVerbs, type StoreVerb, storeVerbs } from '../verbs.ts'
import { journalField } from './journal-field.ts'
import { createSqliteJournalPlans } from './journal-plans.ts'
import { createMemoryPlans } from './memory-plans.ts'
import { sqliteMigrations } from './migrations.ts'
import { createSqliteRunWords } from './run-words.ts'
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

/** All stores of a process build the same statements: once. */
let shared: Kysely<RuntimeTables> | undefined

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
  checkNumbers('Opening the database', options, { busyTimeoutMs: integerFrom(0), maxVectors: integerFrom(0) })
  checkNames('Opening the database', options, names)
  const { path, busyTimeoutMs = 5000, maxVectors = 10_000, onStatement } = options
  const builder = (shared ??= createSqliteBuilder())
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
    // In memory a commit waits for no disk, so there is nothing to share.
    ...(path === ':memory:' && { schedule: queueMicrotask }),
  })
  const plans = {
    ...createRuntimePlans(builder, createSqliteRunWords(builder), journal, createTurnMessages(builder)),
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
  const verbs = bindPlans<RuntimeVerbs, StoreVerb, StoreSignal>(plans, storeVerbs, async (plan, call) => {
    const { row, signal } = call
    if (row.kind === 'read') return read(plan(), signal)
    assertOpen(signal)
    try {
      return await writer.write(plan, signal)
    } catch (error) {
      throw toRuntimeError(error)
    }
  })

  return {
    ...verbs,
    sumUsage: (query, signal) => sumUsage(plans, (plan) => read(plan, signal), query),
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
