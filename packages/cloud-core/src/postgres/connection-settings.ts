import type {
  ConnectionDefaults,
  ConnectionSettings as Settings,
  PostgresStatement,
} from '@homeward/kit/postgres'

/** Address of the database, and settings of its connections. */
export interface ConnectionSettings extends Settings {
  /** Schema of the tables. Created if missing. One database can hold several clouds. @default 'homeward_cloud' */
  readonly schema?: string
  /** Maximum number of connections, at least 4. One more is used for LISTEN. @default 12 */
  readonly maxConnections?: number
  /** Application name of the connections, which the server shows in `pg_stat_activity`. @default 'homeward-cloud' */
  readonly applicationName?: string
}

/** Database of the last-seen times, if it is not the main database. */
export interface PresenceSettings extends Settings {
  /** Address of the database, on the same or another server. */
  readonly connectionString: string
  /**
   * Schema of the table. Created if missing. Each cloud needs its own.
   *
   * @default the schema of the cloud followed by `_presence`
   */
  readonly schema?: string
  /** Maximum number of connections, at least 2. @default 4 */
  readonly maxConnections?: number
  /** Application name of the connections, which the server shows in `pg_stat_activity`. @default 'homeward-cloud' */
  readonly applicationName?: string
  /** Called for each statement just before it is sent to this database. Must not throw. */
  readonly onStatement?: (statement: PostgresStatement) => void
}

/** What is taken for settings that are not given. */
export const connectionDefaults: ConnectionDefaults = {
  schema: 'homeward_cloud',
  maxConnections: 12,
  leastConnections: 4,
  applicationName: 'homeward-cloud',
}
