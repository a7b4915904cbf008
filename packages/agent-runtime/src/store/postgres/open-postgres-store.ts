import { bindPlans } from '@homeward/kit/sql'
import { checkNames, type OptionNames } from '../../host-input/check-names.ts'
import { checkNumbers } from '../../host-input/check-settings.ts'
import { wholeFrom } from '@homeward/kit'
import type { RuntimeStore } from '../ports/runtime-store.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { createSignalHub } from '../../concurrency/signal-hub.ts'
import type { StoreSignal } from '../ports/store-signal.ts'
import { createRuntimePlans } from '../sql/runtime-plans.ts'
import { createUsagePlans } from '../sql/usage/usage-plans.ts'
import { type RuntimeVerbs, type StoreVerb, storeVerbs } from '../verbs.ts'
import type { ConnectionSettings } from './connect.ts'
import { connect } from './connect.ts'
import { createGroupWriter } from './group-writer.ts'
import { createPostgresJournalPlans } from './journal-plans.ts'
import { createMemoryPlans } from './memory-plans.ts'
import { migrate } from './migrate.ts'
import { postgresMigrations } from './migrations.ts'
import { openNotifications } from './notifications.ts'
import { createPostgresBuilder, journalField } from './postgres-builder.ts'
import { createPlanReader } from './read-plan.ts'
import { createNames } from './session.ts'

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
  checkNumbers('Opening Postgres', { maxVectors }, { maxVectors: wholeFrom(0) })
  checkNames('Opening Postgres', options, names)
  const connections = await connect(options)
  const { pool, schema } = connections
  const builder = createPostgresBuilder()
  const hub = createSignalHub()
  await migrate(connections, builder, postgresMigrations)
  const notifications = await openNotifications(connections, hub.tell, random)

  const nameOf = createNames()
  // A half for writing: the other half is there for reads, however much is written.
  const lanes = Math.max(1, Math.min(4, Math.floor((options.maxConnections ?? 10) / 2)))
  const writer = createGroupWriter({
    pool,
    schema,
    nameOf,
    lanes,
    random,
    tell: (signals) => {
      hub.tell(signals)
      notifications.send(signals)
    },
  })
  const readPlan = createPlanReader(pool, nameOf)
  const plans = {
    ...createRuntimePlans(builder, createPostgresJournalPlans(builder)),
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
  const verbs = bindPlans<RuntimeVerbs, StoreVerb, StoreSignal>(plans, storeVerbs, async (plan, call) => {
    assertOpen(call.signal)
    if (call.row.kind === 'write') return writer.write(plan, call.row.locks(...call.args), call.signal)
    const work = readPlan(plan)
    reading.add(work)
    try {
      return await work
    } finally {
      reading.delete(work)
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
