import { bindPlans } from '@homeward/kit/sql'
import {
  type Connection,
  createGroupReader,
  createGroupWriter,
  createSqliteBuilder,
  migrate,
  runPlan,
  toSqliteFailure,
} from '@homeward/kit/sqlite'
import type { CloudSignal } from '../ports/cloud-signal.ts'
import { CloudStoreError } from '../ports/cloud-store-error.ts'
import type { CloudStore } from '../ports/cloud-store.ts'
import { createCloudPlans } from '../sql/cloud-plans.ts'
import { embeddedDialect } from '../sql/dialect.ts'
import { sqliteMigrations } from '../sql/migrations.ts'
import type { CloudTables } from '../sql/schema.ts'
import { toStoreError } from '../sql/to-store-error.ts'
import { type CloudVerb, cloudVerbs, type CloudVerbs } from '../sql/verbs.ts'

/**
 * A store over an open database, on any engine of SQLite.
 *
 * @param truncateLog Removes what was deleted from the log of the database, on engines that have one.
 */
export function createStoreOver(connection: Connection, truncateLog?: () => void): CloudStore {
  const builder = createSqliteBuilder<CloudTables>()
  try {
    migrate(connection, builder, sqliteMigrations)
  } catch (error) {
    connection.close()
    throw toStoreError(error)
  }

  const reader = createGroupReader(connection)
  const writer = createGroupWriter<CloudSignal>(connection)
  const plans = createCloudPlans(builder, embeddedDialect)
  let closed = false

  const verbs = bindPlans<CloudVerbs, CloudVerb, CloudSignal>(plans, cloudVerbs, async (plan, call) => {
    const { row, signal } = call
    signal?.throwIfAborted()
    if (closed)
      throw new CloudStoreError('CLOSED', 'Using the database failed: the store is closed. Open it again.')
    try {
      if (row.kind === 'read') return runPlan(connection, plan())
      return await (row.kind === 'poll' ? reader.read(plan, signal) : writer.write(plan, signal))
    } catch (error) {
      throw toStoreError(toSqliteFailure(error, 'Reading the database'))
    }
  })

  return {
    ...verbs,
    async scrub(signal) {
      signal?.throwIfAborted()
      writer.flush()
      // What was written lies in the log as well, until it is moved and the log cut. A reader of another process may hold it.
      if (!closed) truncateLog?.()
    },
    close: async () => {
      closed = true
      reader.flush()
      writer.flush()
      connection.close()
    },
  }
}
