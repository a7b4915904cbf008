import {
  connect,
  type Connections,
  createPostgresBuilder,
  createReader,
  createRunStep,
  createWriter,
  migrate,
  openNotifications,
  type PostgresStatement,
  type SignalCodec,
} from '@homeward/kit/postgres'
import { bindPlans, type RunPlan, wrapMethods } from '@homeward/kit/sql'
import { CloudStoreError } from '../ports/cloud-store-error.ts'
import type { CloudSignal, StreamedEvent } from '../ports/cloud-signal.ts'
import type { CloudStore } from '../ports/cloud-store.ts'
import { createCloudPlans } from '../sql/cloud-plans.ts'
import type { SqlDialect } from '../sql/dialect.ts'
import type { CloudTables } from '../sql/schema.ts'
import { toStoreError } from '../sql/to-store-error.ts'
import { connectionDefaults, type ConnectionSettings, type PresenceSettings } from './connection-settings.ts'
import { type CloudVerb, cloudVerbs, type CloudVerbs } from '../sql/verbs.ts'
import { createFleetReads } from './fleet-reads.ts'
import { postgresMigrations } from './migrations.ts'
import { createDevicesByIds } from './presence/devices-by-ids.ts'
import { joinPresence, type PresenceJoin } from './presence/join-presence.ts'
import { connectPresence, openPresenceDatabase } from './presence/presence-database.ts'
import { createReportWriter } from './report-writer.ts'
import { createSearchReports } from './search-reports.ts'
import { sql } from 'kysely'
import type { RowLocks } from '../sql/row-locks.ts'
import { createTouchPlan } from './touch-plan.ts'
import { deviceCloudEvents, type DeviceCloudEventName } from '@homeward/contract/device-cloud'
import * as z from 'zod/mini'

/** Transactions of Postgres are not alone: rows that a decision rests on are locked when they are read. */
const rowLocks: RowLocks = {
  toChange: (query) => query.forNoKeyUpdate(),
  toDelete: (query) => query.forUpdate(),
  whereFree: (query) => query.forUpdate().skipLocked(),
}

/** How Postgres does what databases do each in their own way. */
const postgresDialect: SqlDialect = {
  locks: rowLocks,
  createTouch: (db) => createTouchPlan(db, sql`exists (select 1 from devices where devices.id = beats.id)`),
  contains: (column, part) => sql`strpos(${column}, ${part}) > 0`,
  isAmong: (column, list) =>
    sql`${column} = any(array(select jsonb_array_elements_text(cast(${list} as jsonb))))`,
  anyOf: (ids) => sql`any(array(${ids}))`,
}

/** Options of {@link createPostgresStore}. */
export interface PostgresStoreOptions extends ConnectionSettings {
  /** Called for each statement just before it is sent, except `begin` and `commit`. Must not throw. */
  readonly onStatement?: (statement: PostgresStatement) => void
  /**
   * Stores last-seen times in another database.
   *
   * Heartbeats then cause no table growth during a dump or another long snapshot of the main database. The times are
   * not in one transaction with the devices; docs/guides/scaling.md describes the effects.
   *
   * @default in the same database
   */
  readonly presence?: PresenceSettings
  /** Returns a random number from 0 up to 1, for the delays between attempts. @default Math.random */
  readonly random?: () => number
}

/**
 * Creates a store in a schema of a Postgres database (14 or newer). Any number of processes may share it.
 *
 * A long poll in one process is notified of work that another process adds. A resolved call is committed. Opening the
 * store creates or upgrades the tables. While the server is down, calls reject with `DATABASE_UNAVAILABLE`; they work
 * again once it is back.
 *
 * @throws {CloudStoreError} `DATABASE_UNAVAILABLE` if the server cannot be reached or rejects the connection,
 * `DATABASE_NEWER` if a newer release wrote the schema.
 * @example
 * const store = await createPostgresStore({ connectionString: process.env.DATABASE_URL })
 */
export async function createPostgresStore(options: PostgresStoreOptions = {}): Promise<CloudStore> {
  try {
    const connections = await connect(options, connectionDefaults)
    const { presence } = options
    return await openStoreOver(
      connections,
      options,
      presence && (await connectPresence(presence, connections.schema)),
    )
  } catch (error) {
    throw toStoreError(error)
  }
}

/** {@link createPostgresStore} over connections that are there already, some of them to a presence database. */
export async function openStoreOver(
  connections: Connections,
  options: PostgresStoreOptions,
  presenceConnections?: Connections,
): Promise<CloudStore> {
  const { random = Math.random } = options
  const { pool, maxConnections } = connections
  const builder = createPostgresBuilder<CloudTables>()
  const listeners = new Set<(signal: CloudSignal) => void>()
  const onSignals = (signals: readonly CloudSignal[]) => {
    for (const signal of signals) for (const listener of listeners) listener(signal)
  }
  await migrate(connections, builder, postgresMigrations, `cloud ${connections.schema}`)
  const presence =
    presenceConnections &&
    (await openPresenceDatabase(presenceConnections, createRunStep(options.presence?.onStatement), random))

  const runStep = createRunStep(options.onStatement)
  const readPlan = createReader({ pool, runStep })
  const notifications = await openNotifications({ connections, codec: signalCodec, onSignals, random })
  const emit = (signals: readonly CloudSignal[]) => {
    notifications.send(signals)
    // What was done here is known here, but for what nobody knows.
    onSignals(signals.filter(({ topic }) => topic === 'missed'))
  }
  const writePlan = createWriter({ pool, runStep, emit, missed: signalCodec.missed, random })
  // Of each kind a quarter: none of them can take every connection.
  const lanes = Math.max(1, Math.floor(maxConnections / 4))
  const reports = createReportWriter({ pool, runStep, lanes })
  const inLane = createLanes(lanes)
  const underWay = new Set<Promise<unknown>>()
  let closing: Promise<void> | undefined

  const start = <Result>(signal: AbortSignal | undefined, call: () => Promise<Result>): Promise<Result> => {
    const work = begin(signal, call)
    underWay.add(work)
    const forget = () => void underWay.delete(work)
    work.then(forget, forget)
    return work
  }
  const begin = async <Result>(signal: AbortSignal | undefined, call: () => Promise<Result>) => {
    signal?.throwIfAborted()
    if (closing !== undefined)
      throw new CloudStoreError('CLOSED', 'Using Postgres failed: the store is closed. Open it again.')
    try {
      return await call()
    } catch (error) {
      throw toStoreError(error)
    }
  }
  const close = async () => {
    // A failure is its caller's to know.
    await Promise.allSettled(underWay)
    await notifications.close()
    await Promise.all([pool.end(), presence?.close()])
  }

  const plans = createCloudPlans(builder, presence === undefined ? postgresDialect : withoutTouch)
  const run: RunPlan<CloudVerb, CloudSignal> = (plan, call) => {
    if (call.row.kind === 'report') return reports.write(idOf(call.args), plan, call.signal)
    if (call.row.kind !== 'write') return readPlan(plan)
    return call.row.isContended === true ? inLane(() => writePlan(plan)) : writePlan(plan)
  }
  const fleetReads = createFleetReads({ db: builder, read: readPlan, lanes: Math.max(1, lanes - 1) })
  const bound = bindPlans<CloudVerbs, CloudVerb, CloudSignal>(plans, cloudVerbs, run)
  const settleAlone: CloudStore['settleSearch'] = (report, signal) => bound.settleSearch(report, signal)
  const ofDevices: CloudVerbs = {
    ...bound,
    ...fleetReads,
    settleSearch: createSearchReports({ db: builder, pool, runStep, lanes, settleAlone }),
  }
  const listPlaces: PresenceJoin['listPlaces'] = (...list) => readPlan(() => plans.listPlaces(...list))
  const devicesByIds = createDevicesByIds(builder, readPlan)
  const verbs =
    presence === undefined
      ? ofDevices
      : { ...ofDevices, ...joinPresence({ verbs: ofDevices, presence, listPlaces, ...devicesByIds }) }

  return {
    ...wrapMethods<CloudVerbs, CloudVerb>(verbs, cloudVerbs, (forward, { args, signal }) =>
      start(signal, () => forward(args)),
    ),
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    publish: (signals) => notifications.send(signals),
    close: () => (closing ??= close()),
  }
}

/** Lets some calls run at a time; the others wait, first come, first served. */
function createLanes(count: number) {
  const waiting: (() => void)[] = []
  let busy = 0
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (busy < count) busy += 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) busy -= 1
      else next()
    }
  }
}

/** Where last-seen times are stored in another database, no verb of the first one writes them. */
const withoutTouch: SqlDialect = {
  ...postgresDialect,
  // oxlint-disable-next-line require-yield -- it has nothing to write
  createTouch: () => function* () {},
}

/** Id of the work that a report is about. */
function idOf([report]: readonly unknown[]): string {
  return (report as { readonly id: string }).id // as the table of methods says of reports
}

/** Values in one message, by topic: a message of Postgres has fewer bytes than 8,000. */
const maxPerMessage = { work: 40, keys: 40, follow: 10, reset: 10, events: 8 } as const

const Event = z.object({
  owner: z.string(),
  name: z.enum(Object.keys(deviceCloudEvents) as DeviceCloudEventName[]),
  data: z.record(z.string(), z.unknown()),
})
const Message = z.union([
  z.tuple([z.enum(['work', 'keys', 'follow', 'reset', 'tasks', 'missed']), z.array(z.string())]),
  z.tuple([z.literal('events'), z.array(Event)]),
])

/** How processes of a cloud tell each other of changes: a topic, and who is meant. */
export const signalCodec: SignalCodec<CloudSignal> = {
  encode(signal) {
    if (signal.topic === 'missed' || signal.topic === 'tasks') return [[signal.topic, []]]
    const values = valuesOf(signal)
    const most = maxPerMessage[signal.topic]
    const messages: unknown[] = []
    for (let start = 0; start < values.length; start += most)
      messages.push([signal.topic, values.slice(start, start + most)])
    return messages
  },
  decode(value) {
    const parsed = Message.safeParse(value)
    if (!parsed.success) return undefined
    const { data } = parsed
    if (data[0] === 'events') return { topic: 'events', events: data[1] }
    const [topic, names] = data
    if (topic === 'work') return { topic, deviceIds: names }
    if (topic === 'follow' || topic === 'reset') return { topic, owners: names }
    return topic === 'keys' ? { topic, hashes: names } : { topic }
  },
  missed: [{ topic: 'missed' }],
  // A fleet that reports makes thousands of events a second; they must not cost the keys and polls of other processes.
  bulk: {
    is: ({ topic }) => topic === 'events',
    join(signals) {
      const events = eventsOf(signals)
      return events.length === 0 ? [] : [{ topic: 'events', events }]
    },
    shorten(signal, isTooMany) {
      const events = eventsOf([signal])
      const middle = Math.ceil(events.length / 2)
      if (isTooMany || events.length < 2)
        return [{ topic: 'reset', owners: [...new Set(events.map(({ owner }) => owner))] }]
      const halves = [events.slice(0, middle), events.slice(middle)]
      return halves.map((half) => ({ topic: 'events', events: half }))
    },
  },
}

const eventsOf = (signals: readonly CloudSignal[]): readonly StreamedEvent[] =>
  signals.flatMap((signal) => (signal.topic === 'events' ? signal.events : []))

function valuesOf(signal: Exclude<CloudSignal, { readonly topic: 'missed' | 'tasks' }>): readonly unknown[] {
  if (signal.topic === 'work') return signal.deviceIds
  if (signal.topic === 'keys') return signal.hashes
  return signal.topic === 'events' ? signal.events : signal.owners
}
