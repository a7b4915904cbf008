import {
  type Connection,
  type ConnectionOptions,
  createGroupReader,
  createGroupWriter,
  createSqliteBuilder,
  migrate,
  openConnection,
  type SqliteStatement,
  toSqliteFailure,
  runPlan,
} from '@homeward/kit/sqlite'
import { checkNumbers, wholeFrom } from '../check-numbers.ts'
import { checkTexts } from '../check-texts.ts'
import { CloudStoreError } from '../ports/cloud-store-error.ts'
import type { CloudSignal } from '../ports/cloud-signal.ts'
import type { CloudStore } from '../ports/cloud-store.ts'
import type { CloudTables } from '../sql/schema.ts'
import { toStoreError } from '../sql/to-store-error.ts'
import { createCloudPlans } from '../sql/cloud-plans.ts'
import { embeddedDialect } from '../sql/dialect.ts'
import { cloudMigrations } from '../sql/migrations.ts'
import type { Plan } from '../sql/plan.ts'

const attempt = 'Opening the database'

/** Settings of {@link createSqliteStore}. */
export interface SqliteStoreOptions {
  /** Database file; it and its folder are made when missing. `:memory:` keeps everything in memory. */
  readonly path: string
  /** How long to wait while another process writes, in milliseconds. @default 5000 */
  readonly busyTimeoutMs?: number
  /** Called for each statement, just before it runs; `begin` and `commit` are not counted. Must not throw. */
  readonly onStatement?: (statement: SqliteStatement) => void
}

/**
 * Keeps everything in one SQLite file, with the SQLite that comes with Node. Several processes may open it at once.
 *
 * What resolved survives a crash of the process. After a loss of power the file is sound, but the last moments of it may
 * be missing (`synchronous = NORMAL`).
 *
 * @throws {TypeError} for a setting that cannot work.
 * @throws {CloudStoreError} `DATABASE_UNAVAILABLE` when the file cannot be opened, `DATABASE_NEWER` when a newer release
 * wrote it.
 * @example
 * const store = createSqliteStore({ path: '/var/lib/homeward/cloud.db' })
 */
export function createSqliteStore(options: SqliteStoreOptions): CloudStore {
  checkTexts(attempt, options, ['path'])
  checkNumbers(attempt, options, { busyTimeoutMs: wholeFrom(0) })
  const { path, busyTimeoutMs = 5000, onStatement } = options
  return createStoreOver(open({ path, busyTimeoutMs, onStatement }))
}

/** Opens a database file the way that a fleet of devices wants it. */
export function open(options: ConnectionOptions): Connection {
  try {
    // Polls read all devices over and over: they stay in memory. Reports come all day without a pause in which the log could
    // be moved, so a commit moves it, and a short one does not keep the devices waiting.
    return openConnection({ ...options, cacheKib: 65_536, logPages: 4000 })
  } catch (error) {
    throw toStoreError(error)
  }
}

/** {@link createSqliteStore} over a connection that is there already. */
export function createStoreOver(connection: Connection): CloudStore {
  const builder = createSqliteBuilder<CloudTables>()
  try {
    migrate(connection, builder, cloudMigrations)
  } catch (error) {
    connection.close()
    throw toStoreError(error)
  }

  const reader = createGroupReader(connection)
  const writer = createGroupWriter<CloudSignal>(connection)
  const plans = createCloudPlans(builder, embeddedDialect)
  let closed = false

  const assertOpen = (signal: AbortSignal | undefined) => {
    signal?.throwIfAborted()
    if (closed)
      throw new CloudStoreError('CLOSED', 'Using the database failed: the store was closed. Open it again.')
  }
  const call = async <Result>(
    signal: AbortSignal | undefined,
    work: () => Result | Promise<Result>,
  ): Promise<Result> => {
    assertOpen(signal)
    try {
      return await work()
    } catch (error) {
      throw toStoreError(toSqliteFailure(error, 'Reading the database'))
    }
  }
  const read = <Result>(plan: Plan<Result>, signal: AbortSignal | undefined) =>
    call(signal, () => runPlan(connection, plan))
  /** For what devices ask for: many at once, and little each. */
  const readTogether = <Result>(plan: () => Plan<Result>, signal: AbortSignal | undefined) =>
    call(signal, () => reader.read(plan, signal))
  const write = <Result>(plan: () => Plan<Result>, signal: AbortSignal | undefined) =>
    call(signal, () => writer.write(plan, signal))

  return {
    insertDevice: (device, once, audit, signal) =>
      write(() => plans.insertDevice(device, once, audit), signal),
    findDeviceByKeyHash: (hash, now, signal) =>
      readTogether(() => plans.findDeviceByKeyHash(hash, now), signal),
    findDevice: (owner, deviceId, signal) => read(plans.findDevice(owner, deviceId), signal),
    touchDevices: (batch, latest, signal) => write(() => plans.touchDevices(batch, latest), signal),
    listDevices: (owner, page, signal) => read(plans.listDevices(owner, page), signal),
    deleteDevice: (owner, deviceId, audit, signal) =>
      write(() => plans.deleteDevice(owner, deviceId, audit), signal),
    rotateKey: (rotation, audit, signal) => write(() => plans.rotateKey(rotation, audit), signal),
    retirePreviousKey: (deviceId, hash, signal) =>
      write(() => plans.retirePreviousKey(deviceId, hash), signal),

    insertSearches: (owner, batch, once, audit, signal) =>
      write(() => plans.insertSearches(owner, batch, once, audit), signal),
    listPendingSearches: (deviceId, limit, now, signal) =>
      readTogether(() => plans.listPendingSearches(deviceId, limit, now), signal),
    settleSearch: (report, signal) => write(() => plans.settleSearch(report), signal),
    listSearches: (owner, filter, page, now, signal) =>
      read(plans.listSearches(owner, filter, page, now), signal),

    insertUploads: (owner, batch, once, audit, signal) =>
      write(() => plans.insertUploads(owner, batch, once, audit), signal),
    listPendingUploads: (deviceId, limit, now, signal) =>
      readTogether(() => plans.listPendingUploads(deviceId, limit, now), signal),
    leaseUpload: (lease, signal) => write(() => plans.leaseUpload(lease), signal),
    settleUpload: (report, signal) => write(() => plans.settleUpload(report), signal),
    cancelUpload: (owner, id, now, audit, signal) =>
      write(() => plans.cancelUpload(owner, id, now, audit), signal),
    listUploads: (owner, filter, page, now, signal) =>
      read(plans.listUploads(owner, filter, page, now), signal),
    findFile: (owner, blobId, signal) => read(plans.findFile(owner, blobId), signal),
    filterUnusedBlobs: (blobIds, signal) => read(plans.filterUnusedBlobs(blobIds), signal),

    appendAudit: (entries, signal) => write(() => plans.appendAudit(entries), signal),
    listAudit: (userId, filter, page, now, signal) =>
      read(plans.listAudit(userId, filter, page, now), signal),

    countPending: (deviceId, now, signal) => readTogether(() => plans.countPending(deviceId, now), signal),
    close: async () => {
      closed = true
      reader.flush()
      writer.flush()
      connection.close()
    },
  }
}
