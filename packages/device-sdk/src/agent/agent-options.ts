import type { DeviceMetadata } from '@homeward/contract/device-cloud'
import type { DeviceClient, DeviceClientOptions } from '../client/create-device-client.ts'
import type { DevicePolicy } from '../policy/device-policy.ts'
import type { CatalogSource } from '../ports/catalog-source.ts'
import type { AuditLog, FileSource, Outbox, SearchProviders, Timers } from '../ports/index.ts'

/** Options of a device agent. Pass either `client`, or `baseUrl` and `apiKey`. */
export type DeviceAgentOptions = AgentSettings &
  ({ readonly client: DeviceClient } | (DeviceClientOptions & { readonly client?: never }))

/** Options of a device agent except its connection. */
export interface AgentSettings {
  /**
   * Enrolls this device. Called once before the first heartbeat; the agent sends nothing else until it resolves.
   *
   * If it rejects, the agent emits `enrollment:error` and calls it again after 5 minutes, then 10, 20 and every 30.
   * For 5 minutes after it resolved, a 401 response is retried after seconds, because other servers of the cloud may
   * not have the key yet.
   *
   * @default no enrollment: the cloud already has the key
   * @example
   * enroll: (signal) => enrollDevice({ baseUrl, apiKey, name, type, platform, onCode, signal })
   */
  readonly enroll?: (signal: AbortSignal) => Promise<unknown>
  /** Search providers by scope. */
  readonly providers: SearchProviders
  /**
   * Uploads the list of this device's files to the cloud, for searches while the device is offline:
   * `createFileCatalog` of `@homeward/device-sdk/node`. Not sent if the policy excludes the scope `files`.
   *
   * @default no list
   */
  readonly catalog?: CatalogSource
  /** Opens requested files. @default every file request is denied */
  readonly files?: FileSource
  /** Stores results until the cloud has them. @default createMemoryOutbox() */
  readonly outbox?: Outbox
  /**
   * Rules about what this device shares. The cloud cannot override them.
   *
   * @default all scopes with a provider are allowed
   */
  readonly policy?: DevicePolicy
  /** Records every search and file request, allowed or denied. @default no log */
  readonly auditLog?: AuditLog
  /**
   * Metadata for each heartbeat. Unless the metadata has its own `scopes`, the agent adds `scopes` with the names
   * that the policy allows: `[{name, title?, description?, schema?}]`.
   *
   * @default no metadata
   */
  readonly metadata?: DeviceMetadata | (() => DeviceMetadata | Promise<DeviceMetadata>)
  /**
   * Interval between heartbeats and between polls, in milliseconds, ±10 %. After a failure, never shorter.
   *
   * @default 30000
   */
  readonly intervalMs?: number
  /**
   * Method by which the agent gets work. `held`: one long poll, which is also the heartbeat. `poll`: heartbeats and two lists. If
   * the cloud does not support the long poll, the agent polls and checks again after an hour.
   *
   * @default "held"
   */
  readonly work?: 'held' | 'poll'
  /** `lowest` limits an idle device to 12 requests per hour, if the cloud supports the long poll. @default "normal" */
  readonly activity?: 'normal' | 'lowest'
  /**
   * Duration of a long poll for work in seconds, ±10 %: 1 to 290, with `poll` at most 60; 0 for no long poll.
   *
   * @default 270, or 50 if longer requests break; with `poll`: 50
   */
  readonly waitSeconds?: number
  /**
   * Time limit of a search in milliseconds. At most one second later, the agent reports the results that exist.
   *
   * @default 60000
   */
  readonly searchDeadlineMs?: number
  /** Maximum number of parallel searches. @default 2 */
  readonly searchConcurrency?: number
  /** Maximum number of parallel uploads. @default 2 */
  readonly uploadConcurrency?: number
  /**
   * Whether the first heartbeat waits for a random part of the interval, and the first polls for a random part of a
   * poll's duration, unless work is pending. Use it for many devices that start at the same time.
   *
   * @default false
   */
  readonly spreadFirstHeartbeat?: boolean
  /** Returns the milliseconds since 1970. @default Date.now */
  readonly now?: () => number
  /** Returns a random number from 0 to 1. @default Math.random */
  readonly random?: () => number
  /** Timers of the agent, to use your own clock. @default setTimeout and clearTimeout */
  readonly timers?: Timers
}
