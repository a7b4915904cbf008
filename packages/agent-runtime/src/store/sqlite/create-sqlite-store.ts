import { bindPlans, buildOnce, change, compileStatement, toCompilable } from '@homeward/kit/sql'
import { type Kysely, sql } from 'kysely'
import {
  type Connection,
  createGroupWriter,
  createSqliteBuilder,
  migrate,
  type SqliteStatement,
  toSqliteFailure,
  runPlan,
} from '@homeward/kit/sqlite'
import { type ConnectionOptions, createIdleCheckpoints, openConnection } from '@homeward/kit/sqlite/node'
import { checkOptions } from '../../host-input/check-options.ts'
import { aFunction, integerFrom, required, text } from '@homeward/kit'
import type { RuntimeStore } from '../ports/runtime-store.ts'
import type { StoreSignal } from '../ports/store-signal.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { createSignalHub } from '../signal-hub.ts'
import type { Plan } from '../sql/plan.ts'
import { createRuntimePlans } from '../sql/runtime-plans.ts'
import type { RuntimeTables } from '../sql/schema.ts'
import { createUsagePlans, type JournalField, type UsagePlans } from '../sql/usage/usage-plans.ts'
import { type RuntimeVerbs, type StoreVerb, storeVerbs } from '../verbs.ts'
import { createSqliteJournalPlans } from './journal-plans.ts'
import { createSqliteChunkPlans } from './chunk-plans.ts'
import { createMemoryPlans } from './memory-plans.ts'
import { sqliteMigrations } from './migrations.ts'
import { toRuntimeError } from '../to-runtime-error.ts'
import { createTurnMessages } from './turn-messages.ts'
import { yieldToEventLoop } from '../../concurrency/yield-to-event-loop.ts'
import type { UsageQuery, UsageTotal } from '../ports/usage-store.ts'
import { joinUsage } from '../sql/usage/usage-row.ts'
import type { RunWords } from '../sql/runs/run-row.ts'

/** Options of {@link createSqliteStore}. */
export interface SqliteStoreOptions {
  /** Database file. Created with its folder if missing. `:memory:` stores everything in memory. */
  readonly path: string
  /** Time to wait for another writing process, in milliseconds. @default 5000 */
  readonly busyTimeoutMs?: number
  /** Maximum number of vectors that a search compares: the newest ones. @default 10000 */
  readonly maxVectors?: number
  /** Called for each statement just before it runs, except `begin` and `commit`. Must not throw. */
  readonly onStatement?: (statement: SqliteStatement) => void
}

/** All stores of a process build the same statements: once. */
let shared: Kysely<RuntimeTables> | undefined

/**
 * Creates a store in one SQLite file, with Node's built-in SQLite. Several processes may use the file.
 *
 * A resolved call survives a crash of the process. After a power failure the file is intact, but the last changes
 * before it may be missing (`synchronous = NORMAL`). Expired memories are removed when others are written; other old
 * data is removed by `prune`, which a runtime calls according to its option `retention`.
 *
 * @throws {RuntimeError} `storage_error` if the file cannot be opened, is not a database, or was written by a newer
 * release; `validation_error` if an option is invalid.
 * @example
 * const store = createSqliteStore({ path: '/var/lib/homeward/agents.db' })
 */
export function createSqliteStore(options: SqliteStoreOptions): RuntimeStore {
  checkOptions<SqliteStoreOptions>('Opening the database', options, {
    path: required(text),
    busyTimeoutMs: integerFrom(0),
    maxVectors: integerFrom(0),
    onStatement: aFunction,
  })
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
  const memories = createMemoryPlans(builder, { maxVectors })
  const chunks = createSqliteChunkPlans(builder, { maxVectors })
  const words = { ...createSqliteRunWords(builder), ...memories, ...chunks }
  const plans = {
    ...createRuntimePlans(builder, words, journal, createTurnMessages(builder)),
    ...memories,
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

/** A field of an event, by SQLite's functions on JSON. */
export const journalField: JournalField = (name) => sql`json_extract(data, ${sql.lit(`$.${name}`)})`

/** Events that are summed up before others have their turn: some 20 ms. */
export const summedAtOnce = 10_000

/**
 * Sums up usage piece by piece: SQLite runs in this thread, and over a million events everything else would wait for
 * seconds. What is written meanwhile is not counted.
 */
async function sumUsage(
  plans: Pick<UsagePlans, 'findUsageRange' | 'sumUsageIn'>,
  read: <Result>(plan: Plan<Result>) => Promise<Result>,
  query: UsageQuery,
): Promise<UsageTotal[]> {
  const { first, last } = await read(plans.findUsageRange(query))
  let totals: UsageTotal[] = []
  for (let start = first; start <= last; start += summedAtOnce) {
    if (start > first) await yieldToEventLoop()
    const range = { first: start, last: Math.min(last, start + summedAtOnce - 1) }
    totals = joinUsage(totals, await read(plans.sumUsageIn(range, query)), query.limit)
  }
  return totals
}

/** The words of runs in a full-text index without the texts; its rows have the numbers of the runs. */
export function createSqliteRunWords(db: Kysely<RuntimeTables>): RunWords {
  const statements = buildOnce(db, createStatements)
  return {
    *writeRunWords(id, words) {
      yield* change(statements.write, { id, words: words.join(' ') })
    },
    *removeRunWords(id) {
      yield* change(statements.remove, { id })
    },
    toRunMatch: (words, beginning) =>
      [...words.map((word) => `"${word}"`), ...(beginning === undefined ? [] : [`"${beginning}"*`])].join(
        ' AND ',
      ),
    // The plus keeps the list in the order of its index: sorting would read every run that has the words.
    isRunMatch: (match) =>
      sql<boolean>`+runs.seq in (select rowid from run_words where run_words match ${match})`,
    resultField: (name) => sql`json_extract(result, ${sql.lit(`$.${name}`)})`,
  }
}

function createStatements(db: Kysely<RuntimeTables>) {
  return {
    write: compileStatement<{ id: string; words: string }, unknown>('write', ({ id, words }) =>
      toCompilable(
        db,
        sql`insert or replace into run_words (rowid, words) select seq, ${words} from runs where id = ${id}`,
      ),
    ),
    remove: compileStatement<{ id: string }, unknown>('write', ({ id }) =>
      toCompilable(db, sql`delete from run_words where rowid = (select seq from runs where id = ${id})`),
    ),
  }
}
