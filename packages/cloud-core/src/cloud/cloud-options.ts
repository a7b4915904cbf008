import type { Meter, RequestView } from '@homeward/contract/handler'
import type { BlobStore } from '../ports/blob-store.ts'
import type { CloudStore } from '../ports/cloud-store.ts'
import type { Sessions } from '../ports/sessions.ts'
import type { Timers } from '@homeward/kit'
import type { WebhookSender } from '@homeward/kit/webhooks'
import type { QuotaOptions } from '../context/quotas.ts'
import type { RetentionOptions } from '../retention/retention-options.ts'
import type { Tracer } from '../ports/tracer.ts'

/** How a device cloud is put together. */
export interface DeviceCloudOptions {
  /** Where devices, searches and upload requests live. */
  readonly store: CloudStore
  /** Where uploaded files live. */
  readonly blobs: BlobStore
  /**
   * Where the chunks of uploads that resume wait until their file is whole (C25): a store of their own, never the one of
   * {@link blobs}; all processes of one cloud need the same. @default none: every file is sent as one form
   */
  readonly chunks?: BlobStore
  /** How large chunks should be, in bytes: 65,536 to 67,108,864. @default 4 MiB */
  readonly chunkBytes?: number
  /** How users are recognised (C23). */
  readonly sessions: Sessions
  /** Refuses requests before anything else, by throwing `HttpError`; see `createAccessGuard`. @default none */
  readonly guard?: (request: RequestView) => void
  /**
   * Path below which your server mounts the cloud, such as `/devices`: `/devices/api/searches` is then its `/api/searches`,
   * and links contain it. Pass requests with their whole path. `respond` takes paths without it.
   *
   * @default none: its paths lie at the root
   */
  readonly basePath?: string
  /** Scheme and host that `fileUrl` starts with; {@link basePath} follows. @default those of each request; calls from the host's own code name theirs */
  readonly publicUrl?: string
  /**
   * Page on which a user enters the code of a device that enrolls: an address without query and fragment, such as
   * `https://console.example/pair` (C28). @default `/pair` below {@link publicUrl}, or where the device reached the cloud
   */
  readonly pairingUrl?: string
  /** What API keys start with: `<prefix>_`. @default "hw" */
  readonly keyPrefix?: string
  /**
   * Devices whose keys and rates a process remembers: as many as send requests to it within a minute, or each request of
   * the others reads the store. One takes about 1 kB. At least 1,000. @default 200,000
   */
  readonly maxCachedKeys?: number
  /**
   * Share of a user's devices that are offline, above which `fleet:offline-share` is emitted: above 0, up to 1.
   * @default 0.2
   */
  readonly offlineShare?: number
  /** At least 16 characters. With it, API keys can be shown again: they lie under AES-256-GCM (C14). @default none */
  readonly keySecret?: string
  /** How long after its last heartbeat a device is online, in milliseconds (C2). @default 150,000 */
  readonly onlineWindowMs?: number
  /** The pace that heartbeat answers ask devices for, in seconds (C21). @default not said */
  readonly heartbeatIntervalSeconds?: number
  /** `sync` stores each heartbeat before it is answered, for hosts that stop between requests (C3). @default "interval" */
  readonly flush?: 'interval' | 'sync'
  /** Largest JSON body in bytes (C18). @default 5 MiB */
  readonly maxJsonBytes?: number
  /** Largest uploaded file in bytes (C18). @default 100 MiB */
  readonly maxUploadBytes?: number
  /**
   * Results of a search with more bytes than this, as JSON, are stored as a file in {@link blobs}, and others in the
   * database. Callers see no difference. @default 65,536
   */
  readonly maxRowResultBytes?: number
  /** Days that an entry of the audit is stored (C24). @default 365 */
  readonly auditRetentionDays?: number | 'forever'
  /** Limits for each user. @default none */
  readonly quotas?: QuotaOptions
  /** How long results, searches and files are stored (C31). @default forever */
  readonly retention?: RetentionOptions
  /**
   * Sends webhooks (C33): `createWebhookSender()` of `@homeward/cloud-core/webhooks`, or one of your own that checks addresses as the
   * place where it runs needs it. @default none: webhooks cannot be created
   */
  readonly webhooks?: WebhookSender
  /** Addresses of proxies whose `X-Forwarded-For` counts. @default none */
  readonly trustedProxies?: readonly string[]
  /** Makes spans. @default the global tracer, when `@opentelemetry/api` is installed */
  readonly tracer?: Tracer
  /** Makes instruments: what the cloud measures. `metrics.getMeter()` of `@opentelemetry/api` gives one. @default none */
  readonly meter?: Meter
  /** Gives what was measured as Prometheus text, for `GET /metrics`. @default none: the answer is 501 */
  readonly metrics?: () => string | Promise<string>
  /**
   * Told of failures that are not a caller's, and the only place that says why an answer is 500. Gets no keys and no bodies.
   * One that throws, or whose promise is rejected, stops nothing. @default ignored: the package writes to no console
   */
  readonly onError?: (error: unknown) => void
  /** Checks every reply against the contract; for tests. @default false */
  readonly checkReplies?: boolean
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number
  /** Timers for long polls and delayed writes. @default setTimeout and clearTimeout */
  readonly timers?: Timers
  /** @default crypto.randomUUID */
  readonly createId?: () => string
  /** Numbers in [0, 1), for spreading only. @default Math.random */
  readonly random?: () => number
  /** Cryptographically strong bytes, for keys and file ids. @default crypto.getRandomValues */
  readonly randomBytes?: (size: number) => Uint8Array
}
