import {
  connect,
  createGroupWriter,
  createPostgresBuilder,
  createReader,
  createRunStep,
  migrate,
  openNotifications,
} from '@homeward/kit/postgres'
import type { Kysely } from 'kysely'
import { bindPlans } from '@homeward/kit/sql'
import { checkNames, type OptionNames } from '../../host-input/check-names.ts'
import { checkNumbers } from '../../host-input/check-settings.ts'
import { integerFrom } from '@homeward/kit'
import type { RuntimeStore } from '../ports/runtime-store.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { createSignalHub } from '../signal-hub.ts'
import type { StoreSignal } from '../ports/store-signal.ts'
import type { Plan } from '../sql/plan.ts'
import { createRuntimePlans } from '../sql/runtime-plans.ts'
import type { RuntimeTables } from '../sql/schema.ts'
import { toRuntimeError } from '../to-runtime-error.ts'
import { createUsagePlans } from '../sql/usage/usage-plans.ts'
import { connectionDefaults, type ConnectionSettings } from './connection-settings.ts'
import { createPostgresJournalPlans, heldBackEvents } from './journal-plans.ts'
import { type RuntimeVerbs, type StoreVerb, storeVerbs } from '../verbs.ts'
import { createMemoryPlans } from './memory-plans.ts'
import { createPostgresRunWords } from './run-words.ts'
import { signalCodec } from './signal-codec.ts'
import { postgresMigrations } from './migrations.ts'
import { journalField } from './journal-field.ts'

/** Settings of {@link openPostgresStore}. */
export interface PostgresStoreOptions extends ConnectionSettings {
  /** Most vectors that a search with an embedding compares; the newest ones count. @default 10000 */
  readonly maxVectors?: number
  /** Randomness of pauses before another try: from 0 up to 1. @default Math.random */
  readonly random?: () => number
}

const names: OptionNames<PostgresStoreOptions> = {
  connectionString: true,
  password: true,
  ssl: true,
  schema: true,
  maxConnections: true,
  connectTimeoutMs: true,
  statementTimeoutMs: true,
  applicationName: true,
  maxVectors: true,
  random: true,
}

/**
 * Keeps everything in a schema of a Postgres database (14 or newer), which any number of processes may share: each
 * hears of what the others write. What resolved is committed.
 *
 * Tables are made, and brought up to date, when it is opened. While the server is down its verbs reject with
 * `storage_error` (`retryable`), and work again once it is back.
 *
 * @throws {RuntimeError} `storage_error` when the server cannot be reached, refuses, or a newer release wrote the schema.
 * @example
 * const store = await openPostgresStore({ connectionString: process.env.DATABASE_URL })
 */
export async function openPostgresStore(options: PostgresStoreOptions = {}): Promise<RuntimeStore> {
  const { maxVectors = 10_000, random = Math.random } = options
  checkNumbers('Opening Postgres', { maxVectors }, { maxVectors: integerFrom(0) })
  checkNames('Opening Postgres', options, names)
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
  const plans = {
    ...createRuntimePlans(builder, createPostgresRunWords(builder), createPostgresJournalPlans(builder)),
    ...createMemoryPlans(builder, { maxVectors }),
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
