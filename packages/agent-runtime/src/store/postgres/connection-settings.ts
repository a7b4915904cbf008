import type { ConnectionDefaults, ConnectionSettings as Settings } from '@homeward/kit/postgres'

/** Address of the database, and settings of its connections. */
export interface ConnectionSettings extends Settings {
  /** Schema of the tables. Created if missing. One database can hold several runtimes. @default 'homeward' */
  readonly schema?: string
  /** Maximum number of connections, at least 2. One more is used for LISTEN. @default 10 */
  readonly maxConnections?: number
  /** Application name of the connections, which the server shows in `pg_stat_activity`. @default 'homeward' */
  readonly applicationName?: string
}

/** What is taken for settings that are not given. */
export const connectionDefaults: ConnectionDefaults = {
  schema: 'homeward',
  maxConnections: 10,
  leastConnections: 2,
  applicationName: 'homeward',
}
