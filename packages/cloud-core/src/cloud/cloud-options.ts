import type { Meter, RequestView } from '@homeward/contract/handler'
import type { BlobStore } from '../ports/blob-store.ts'
import type { CloudStore } from '../ports/cloud-store.ts'
import type { Sessions } from '../ports/sessions.ts'
import type { Timers } from '@homeward/kit'
import type { WebhookSender } from '@homeward/kit/webhooks'
import type { QuotaOptions } from '../context/quotas.ts'
import type { RetentionOptions } from '../retention/retention-options.ts'
import type { Tracer } from '../ports/tracer.ts'

/** Options of {@link createDeviceCloud}. */
export interface DeviceCloudOptions {
  /** Store of devices, searches and upload requests. */
  readonly store: CloudStore
  /** Store of uploaded files. */
  readonly blobs: BlobStore
  /**
   * Store of the chunks of resumable uploads until the file is complete. Must not be the store of {@link blobs}, and
   * all processes of a cloud must share it.
   *
   * @default resumable uploads are off
   */
  readonly chunks?: BlobStore
  /** Recommended chunk size in bytes: 65,536 to 67,108,864. @default 4 MiB */
  readonly chunkBytes?: number
  /** Recognizes the users of your app. */
  readonly sessions: Sessions
  /** Rejects requests before any other check by throwing `HttpError`; see `createAccessGuard`. @default no guard */
  readonly guard?: (request: RequestView) => void
  /**
   * Path below which your server mounts the cloud, such as `/devices`.
   *
   * `/devices/api/devices` is then its `/api/devices`, and links contain the base path. Pass requests with their
   * whole path. `respond` takes paths without it.
   *
   * @default the paths start at the root
   */
  readonly basePath?: string
  /**
   * Scheme and host of `fileUrl`, followed by {@link basePath}.
   *
   * @default those of each request; calls of your own code pass theirs
   */
  readonly publicUrl?: string
  /**
   * Address of the page where a user enters the code of a new device, without query and fragment, such as
   * `https://console.example/pair`.
   *
   * @default `/pair` below {@link publicUrl}, or below the address that the device uses
   */
  readonly pairingUrl?: string
  /** Prefix of API keys: `<prefix>_`. @default "hw" */
  readonly keyPrefix?: string
  /**
   * Maximum number of devices whose keys and rate limits a process caches, at least 1,000.
   *
   * Choose the number of devices that send requests to the process within a minute; each request of another device
   * reads the store. An entry takes about 1 kB.
   *
   * @default 200,000
   */
  readonly maxCachedKeys?: number
  /** Share of a user's devices that must be offline for `fleet:offline-share`: above 0, up to 1. @default 0.2 */
  readonly offlineShare?: number
  /**
   * Secret of at least 16 characters with which API keys are stored encrypted (AES-256-GCM), so that users can see
   * them again.
   *
   * @default keys are shown only once
   */
  readonly keySecret?: string
  /** Time after its last heartbeat for which a device is online, in milliseconds. @default 150,000 */
  readonly onlineWindowMs?: number
  /** Heartbeat interval that the cloud requests from devices, in seconds. @default no interval is requested */
  readonly heartbeatIntervalSeconds?: number
  /** `sync` stores each heartbeat before the response, for platforms that stop between requests. @default "interval" */
  readonly flush?: 'interval' | 'sync'
  /** Maximum size of a JSON body in bytes. @default 5 MiB */
  readonly maxJsonBytes?: number
  /** Maximum size of an uploaded file in bytes. @default 100 MiB */
  readonly maxUploadBytes?: number
  /**
   * Maximum size of search results in the database, in bytes of JSON. Larger results are stored as a file in {@link
   * blobs}. Callers see no difference.
   *
   * @default 65,536
   */
  readonly maxRowResultBytes?: number
  /** Number of days that audit entries are stored. @default 365 */
  readonly auditRetentionDays?: number | 'forever'
  /** Limits per user. @default no limits */
  readonly quotas?: QuotaOptions
  /** Storage times of results, searches and files. @default forever */
  readonly retention?: RetentionOptions
  /**
   * Sends webhooks: `createWebhookSender()` of `@homeward/cloud-core/webhooks`, or your own sender with its own
   * address checks.
   *
   * @default webhooks cannot be created
   */
  readonly webhooks?: WebhookSender
  /** Addresses of proxies whose `X-Forwarded-For` is trusted. @default no proxies */
  readonly trustedProxies?: readonly string[]
  /** Creates spans. @default the global tracer, if `@opentelemetry/api` is installed */
  readonly tracer?: Tracer
  /** Creates the instruments for metrics, such as `metrics.getMeter()` of `@opentelemetry/api`. @default no metrics */
  readonly meter?: Meter
  /** Returns metrics as Prometheus text for `GET /metrics`. @default none: responds with 501 */
  readonly metrics?: () => string | Promise<string>
  /**
   * Receives failures that the caller did not cause, and the reason of every 500 response. Never receives keys or
   * bodies. An error in it has no further effect.
   *
   * @default ignored: the package writes nothing to the console
   */
  readonly onError?: (error: unknown) => void
  /** Whether to check every response against the contract, for tests. @default false */
  readonly checkReplies?: boolean
  /** Returns the milliseconds since the epoch. @default Date.now */
  readonly now?: () => number
  /** Timers for long polls and delayed writes. @default setTimeout and clearTimeout */
  readonly timers?: Timers
  /** Creates ids. @default crypto.randomUUID */
  readonly createId?: () => string
  /** Returns random numbers in [0, 1), only for jitter. @default Math.random */
  readonly random?: () => number
  /** Returns cryptographically secure bytes, for keys and file ids. @default crypto.getRandomValues */
  readonly randomBytes?: (size: number) => Uint8Array
}
