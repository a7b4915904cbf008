import type { ConnectionDefaults, ConnectionSettings as Settings } from '@homeward/kit/postgres'

/** Where the database is, and how connections to it behave. */
export interface ConnectionSettings extends Settings {
  /** Schema of the tables; it is made when missing. One database can hold several clouds. @default 'homeward_cloud' */
  readonly schema?: string
  /** Most connections for reading and writing; one more listens. At least 4. @default 12 */
  readonly maxConnections?: number
  /** What the server lists these connections as. @default 'homeward-cloud' */
  readonly applicationName?: string
}

/** What is taken for settings that are not given. */
export const connectionDefaults: ConnectionDefaults = {
  schema: 'homeward_cloud',
  maxConnections: 12,
  leastConnections: 4,
  applicationName: 'homeward-cloud',
}
