import { createThingPlans, thingMigrations, type ThingTables } from '../../sql/testing/things.ts'
import { type ConnectionOptions, openConnection } from '../node-connection.ts'
import { migrate } from '../migrate.ts'
import { createSqliteBuilder } from '../sqlite-builder.ts'

/** A database of things, in memory unless a path is given. */
export function openThings(options: Partial<ConnectionOptions> = {}) {
  const connection = openConnection({ path: ':memory:', busyTimeoutMs: 1, ...options })
  const builder = createSqliteBuilder<ThingTables>()
  migrate(connection, builder, thingMigrations)
  return { connection, plans: createThingPlans(builder) }
}
