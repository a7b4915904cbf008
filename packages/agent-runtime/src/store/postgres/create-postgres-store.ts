import {
  connect,
  createGroupWriter,
  createPostgresBuilder,
  createReader,
  createRunStep,
  migrate,
  openNotifications,
  type SignalCodec,
  type DeferredSteps,
} from '@homeward/kit/postgres'
import { type Kysely, sql } from 'kysely'
import {
  bindPlans,
  buildOnce,
  change,
  compileStatement,
  toCompilable,
  type Step,
  emit,
} from '@homeward/kit/sql'
import { checkOptions } from '../../host-input/check-options.ts'
import { aFunction, anything, integerFrom, type OptionRules } from '@homeward/kit'
import type { RuntimeStore } from '../ports/runtime-store.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { createSignalHub } from '../signal-hub.ts'
import type { StoreSignal } from '../ports/store-signal.ts'
import type { Plan } from '../sql/plan.ts'
import { createRuntimePlans } from '../sql/runtime-plans.ts'
import type { RuntimeTables } from '../sql/schema.ts'
import { toRuntimeError } from '../to-runtime-error.ts'
import { createUsagePlans, type JournalField } from '../sql/usage/usage-plans.ts'
import { connectionDefaults, type ConnectionSettings } from './connection-settings.ts'
import { type RuntimeVerbs, type StoreVerb, storeVerbs } from '../verbs.ts'
import { createPostgresChunkPlans } from './chunk-plans.ts'
import { createMemoryPlans } from './memory-plans.ts'
import { postgresMigrations } from './migrations.ts'
import type { RunWords } from '../sql/runs/run-row.ts'
import { toQueryOfAll, toWordSet } from './lexemes.ts'
import type { NewJournalEvent } from '../ports/journal.ts'
import { type JournalPlans, createJournalPlans, toJournalValues } from '../sql/journal/journal-plans.ts'

/** Options of {@link createPostgresStore}. */
export interface PostgresStoreOptions extends ConnectionSettings {
  /** Maximum number of vectors that a search compares: the newest ones. @default 10000 */
  readonly maxVectors?: number
  /** Returns a random number from 0 up to 1, for the delays between attempts. @default Math.random */
  readonly random?: () => number
}

/** The settings of the connection are checked where it is opened. */
const rules: OptionRules<PostgresStoreOptions> = {
  connectionString: anything,
  directConnectionString: anything,
  password: anything,
  ssl: anything,
  schema: anything,
  maxConnections: anything,
  connectTimeoutMs: anything,
  statementTimeoutMs: anything,
  applicationName: anything,
  maxVectors: integerFrom(0),
  random: aFunction,
}

/**
 * Creates a store in a schema of a Postgres database (14 or newer). Any number of processes may share it, and are
 * notified of each other's changes.
 *
 * A resolved call is committed. Opening the store creates or upgrades the tables. While the server is down, calls
 * reject with `storage_error` (`retryable`); they work again once it is back.
 *
 * @throws {RuntimeError} `storage_error` if the server cannot be reached, rejects the connection, or a newer release
 * wrote the schema.
 * @example
 * const store = await createPostgresStore({ connectionString: process.env.DATABASE_URL })
 */
export async function createPostgresStore(options: PostgresStoreOptions = {}): Promise<RuntimeStore> {
  checkOptions('Opening Postgres', options, rules)
  const { maxVectors = 10_000, random = Math.random } = options
  const builder = createPostgresBuilder<RuntimeTables>()
  const hub = createSignalHub()
  const { connections, notifications } = await open(options, builder, hub.tell, random)
  const { pool, schema, maxConnections } = connections

  const runStep = createRunStep()
  // A half for writing: the other half is there for reads, however much is written.
  const lanes = Math.max(1, Math.min(4, Math.floor(maxConnections / 2)))
  const writer = createGroupWriter({
    pool,
    namespace: schema,
    runStep,
    lanes,
    random,
    heldBack: heldBackEvents,
    missed: signalCodec.missed,
    emit: (signals: readonly StoreSignal[]) => {
      hub.tell(signals)
      notifications.send(signals)
    },
  })
  const readPlan = createReader({ pool, runStep })
  const memories = createMemoryPlans(builder, { maxVectors })
  const chunks = createPostgresChunkPlans(builder, { maxVectors })
  const words = { ...createPostgresRunWords(builder), ...memories, ...chunks }
  const plans = {
    ...createRuntimePlans(builder, words, createPostgresJournalPlans(builder)),
    ...memories,
    ...createUsagePlans(builder, journalField),
  }
  let closing: Promise<void> | undefined

  const assertOpen = (signal: AbortSignal | undefined) => {
    signal?.throwIfAborted()
    if (closing !== undefined)
      throw new RuntimeError('closed', 'Using Postgres failed: the store was closed. Open it again.')
  }
  const reading = new Set<Promise<unknown>>()
  const read = <Result>(plan: () => Plan<Result>): Promise<Result> => {
    const work = readPlan(plan)
    reading.add(work)
    return work.finally(() => reading.delete(work))
  }
  const verbs = bindPlans<RuntimeVerbs, StoreVerb, StoreSignal>(plans, storeVerbs, async (plan, call) => {
    const { row, args, signal } = call
    assertOpen(signal)
    try {
      return await (row.kind === 'write' ? writer.write(plan, row.locks(...args), signal) : read(plan))
    } catch (error) {
      throw toRuntimeError(error)
    }
  })
  const close = async () => {
    await writer.drain()
    // A pool that ends forgets who waits for one of its connections.
    await Promise.allSettled(reading)
    await notifications.close()
    await pool.end()
  }

  return {
    ...verbs,
    subscribe: (listener) => hub.subscribe(listener),
    isDurable: true,
    close: () => (closing ??= close()),
  }
}

async function open(
  options: PostgresStoreOptions,
  builder: Kysely<RuntimeTables>,
  onSignals: (signals: readonly StoreSignal[]) => void,
  random: () => number,
) {
  try {
    const connections = await connect(options, connectionDefaults)
    await migrate(connections, builder, postgresMigrations)
    const notifications = await openNotifications({ connections, codec: signalCodec, onSignals, random })
    return { connections, notifications }
  } catch (error) {
    throw toRuntimeError(error)
  }
}

/** A field of an event, by the operators of Postgres on JSON. */
export const journalField: JournalField = (name) => sql`data::json ->> ${sql.lit(name)}`

/** How processes of a runtime tell each other of changes: `journal`, `run <id>`, ... */
export const signalCodec: SignalCodec<StoreSignal> = {
  encode: (signal) => ['runId' in signal ? `${signal.topic} ${signal.runId}` : signal.topic],
  decode(value) {
    if (value === 'journal' || value === 'task' || value === 'definition') return { topic: value }
    const [, topic, runId] = typeof value === 'string' ? (/^(run|input) (.+)$/s.exec(value) ?? []) : []
    if (runId === undefined) return undefined
    return { topic: topic === 'run' ? 'run' : 'input', runId }
  },
  missed: [{ topic: 'journal' }, { topic: 'task' }, { topic: 'definition' }],
}

/**
 * The result of a run without the escapes that Postgres cannot turn into text: NUL and halves of characters. One of them anywhere in the
 * result would fail the whole statement.
 */
const readableResult = sql`regexp_replace(result, '\\\\u(0000|d[89a-f][0-9a-f]{2})', '\\\\ufffd', 'g')`

/** The words of runs as a `tsvector` without places, in a table of its own: a run's row stays as long as it was. */
export function createPostgresRunWords(db: Kysely<RuntimeTables>): RunWords {
  const statements = buildOnce(db, createStatements)
  return {
    *writeRunWords(id, words) {
      yield* change(statements.write, { id, words: toWordSet(words) })
    },
    *removeRunWords(id) {
      yield* change(statements.remove, { id })
    },
    toRunMatch: toQueryOfAll,
    isRunMatch: (match) =>
      sql<boolean>`runs.seq in (select seq from run_words where words @@ cast(${match} as tsquery))`,
    resultField: (name) => sql`(${readableResult}::json ->> ${sql.lit(name)})`,
  }
}

function createStatements(db: Kysely<RuntimeTables>) {
  return {
    write: compileStatement<{ id: string; words: string }, unknown>('write', ({ id, words }) =>
      toCompilable(
        db,
        sql`insert into run_words (seq, words) select seq, cast(${words} as tsvector) from runs where id = ${id}
          on conflict (seq) do update set words = excluded.words`,
      ),
    ),
    remove: compileStatement<{ id: string }, unknown>('write', ({ id }) =>
      toCompilable(db, sql`delete from run_words where seq = (select seq from runs where id = ${id})`),
    ),
  }
}

const insert = `insert into journal (type, run_id, timestamp, data)
  select * from unnest($1::text[], $2::text[], $3::text[], $4::text[])`

/**
 * The verbs of `Journal` as plans. Events that another plan adds are held back until its transaction ends: numbers are
 * given under a lock that lasts until then (see `migrations.ts`), so it had better be short.
 */
export function createPostgresJournalPlans(db: Kysely<RuntimeTables>): JournalPlans {
  const plans = createJournalPlans(db)
  return {
    ...plans,
    *addEvents(events) {
      if (events.length === 0) return
      yield toHeldBack(events)
      yield* emit({ topic: 'journal' })
    },
    *appendEvents(events): Plan<number> {
      if (events.length === 0) return yield* plans.lastEventSeq()
      const { parameterLists } = toHeldBack(events)
      const rows = yield {
        ...toJournalInsert(parameterLists),
        sql: `${insert} returning seq`,
        counts: false,
      }
      yield* emit({ topic: 'journal' })
      const last = rows.at(-1)
      return typeof last === 'object' && last !== null && 'seq' in last ? Number(last.seq) : 0
    },
  }
}

/** Events that other plans add go in with the commit, all in one step. */
const heldBackEvents: DeferredSteps = {
  isDeferred: (step) => step.sql === insert,
  join: toJournalInsert,
}

function toJournalInsert(rows: readonly (readonly unknown[])[]): Step {
  const columns = [0, 1, 2, 3].map((column) => rows.map((row) => row[column]))
  return { kind: 'write', sql: insert, parameterLists: [columns], counts: true }
}

function toHeldBack(events: readonly NewJournalEvent[]): Step {
  return { kind: 'write', sql: insert, parameterLists: events.map(toJournalValues), counts: true }
}
