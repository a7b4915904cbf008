import type {
  ConnectionDefaults,
  ConnectionSettings as Settings,
  PostgresStatement,
} from '@homeward/kit/postgres'

/** Where the database is, and how connections to it behave. */
export interface ConnectionSettings extends Settings {
  /** Schema of the tables; it is made when missing. One database can hold several clouds. @default 'homeward_cloud' */
  readonly schema?: string
  /** Most connections for reading and writing; one more listens. At least 4. @default 12 */
  readonly maxConnections?: number
  /** What the server lists these connections as. @default 'homeward-cloud' */
  readonly applicationName?: string
}

/** Where last-seen times are stored, if in another database. */
export interface PresenceSettings extends Settings {
  /** Address of the database: another one than that of the cloud, on the same server or another one. */
  readonly connectionString: string
  /**
   * Schema of the table; it is made when missing. Each cloud needs one of its own.
   *
   * @default the schema of the cloud with `_presence` behind it
   */
  readonly schema?: string
  /** Most connections. At least 2. @default 4 */
  readonly maxConnections?: number
  /** What the server lists these connections as. @default 'homeward-cloud' */
  readonly applicationName?: string
  /** Called for each statement that is sent to this database. Must not throw. */
  readonly onStatement?: (statement: PostgresStatement) => void
}

/** What is taken for settings that are not given. */
export const connectionDefaults: ConnectionDefaults = {
  schema: 'homeward_cloud',
  maxConnections: 12,
  leastConnections: 4,
  applicationName: 'homeward-cloud',
}
