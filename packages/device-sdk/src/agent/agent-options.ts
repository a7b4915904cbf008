import type { DeviceMetadata } from '@homeward/contract/device-cloud'
import type { DeviceClient, DeviceClientOptions } from '../client/create-device-client.ts'
import type { DevicePolicy } from '../policy/device-policy.ts'
import type { CatalogSource } from '../ports/catalog-source.ts'
import type { AuditLog, FileSource, Outbox, SearchProviders, Timers } from '../ports/index.ts'

/** Options of a device agent. Pass either `client`, or `baseUrl` and `apiKey`. */
export type DeviceAgentOptions = AgentSettings &
  ({ readonly client: DeviceClient } | (DeviceClientOptions & { readonly client?: never }))

/** Everything about an agent but its connection. */
export interface AgentSettings {
  /**
   * Lets this device in: called once, before the first heartbeat; nothing else is sent until it resolves. If it rejects, the
   * agent emits `enrollment:error` and calls it again after 5 minutes, then 10, 20 and every 30. For 5 minutes after it
   * resolved, a 401 is retried after seconds (C16), because other servers of the cloud may not know the key yet.
   *
   * @default none: the cloud knows the key already
   * @example
   * enroll: (signal) => enrollDevice({ baseUrl, apiKey, name, type, platform, onCode, signal })
   */
  readonly enroll?: (signal: AbortSignal) => Promise<unknown>
  /** Providers of searches, by scope. */
  readonly providers: SearchProviders
  /**
   * Leaves the list of this device's files with the cloud, for searches while the device is off: `createFileCatalog` of
   * `@homeward/device-sdk/node`. Not sent if the policy leaves out the scope `files`. @default none
   */
  readonly catalog?: CatalogSource
  /** Where requested files come from. @default none: every file is refused */
  readonly files?: FileSource
  /** Where results wait until the cloud has them. @default createMemoryOutbox() */
  readonly outbox?: Outbox
  /** Rules about what this device shares. The cloud cannot override them. @default everything that has a provider */
  readonly policy?: DevicePolicy
  /** Records every search and file, allowed or denied. @default nowhere */
  readonly auditLog?: AuditLog
  /**
   * Facts sent with each heartbeat. The agent adds `scopes`, the names of what the policy lets be searched, unless the facts
   * have `scopes` of their own: `[{name, title?, description?, schema?}]`. @default none
   */
  readonly metadata?: DeviceMetadata | (() => DeviceMetadata | Promise<DeviceMetadata>)
  /** Milliseconds between heartbeats and between polls, ±10 %; after a failure never less. @default 30000 */
  readonly intervalMs?: number
  /**
   * How the cloud is asked for work: `held` is one request that the cloud holds and that is a heartbeat too; `poll` are
   * heartbeats and two lists. With a cloud that has no such request, the agent polls and tries again after an hour.
   *
   * @default "held"
   */
  readonly work?: 'held' | 'poll'
  /** `lowest` sends at most 12 requests an hour while there is nothing to do, where the cloud holds them. @default "normal" */
  readonly activity?: 'normal' | 'lowest'
  /**
   * Seconds that a request for work lets the cloud hold its answer, ±10 %: 1 to 290, in polls at most 60; 0 to never ask for
   * that. @default 270, and 50 where longer requests break; polls: 50
   */
  readonly waitSeconds?: number
  /**
   * Milliseconds until the providers of a search are stopped. It is reported with what is known a second later, at the
   * latest. @default 60000
   */
  readonly searchDeadlineMs?: number
  /** Searches that run at the same time. @default 2 */
  readonly searchConcurrency?: number
  /** Files that are uploaded at the same time. @default 2 */
  readonly uploadConcurrency?: number
  /**
   * Whether the first heartbeat waits for a random part of the interval, and the first polls for a random part of a poll's
   * length, unless work waits. For a fleet that boots at the same time.
   *
   * @default false
   */
  readonly spreadFirstHeartbeat?: boolean
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number
  /** A number from 0 to 1. @default Math.random */
  readonly random?: () => number
  /** Timers of the agent, to use your own clock. @default setTimeout and clearTimeout */
  readonly timers?: Timers
}
