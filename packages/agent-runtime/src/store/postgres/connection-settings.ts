import type { ConnectionDefaults, ConnectionSettings as Settings } from '@homeward/kit/postgres'

/** Where the database is, and how connections to it behave. */
export interface ConnectionSettings extends Settings {
  /** Schema of the tables; it is made when missing. One database can hold several runtimes. @default 'homeward' */
  readonly schema?: string
  /** Most connections for reading and writing; one more listens. At least 2. @default 10 */
  readonly maxConnections?: number
  /** What the server lists these connections as. @default 'homeward' */
  readonly applicationName?: string
}

/** What is taken for settings that are not given. */
export const connectionDefaults: ConnectionDefaults = {
  schema: 'homeward',
  maxConnections: 10,
  leastConnections: 2,
  applicationName: 'homeward',
}
