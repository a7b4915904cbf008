import type { Grant } from '@homeward/contract'
import { HttpError, type RequestView } from '@homeward/contract/handler'
import type { AuditLog } from './audit/audit-log.ts'
import type { CloudEventBus } from './cloud-event-bus.ts'
import type { EventStreams } from './events/event-streams.ts'
import type { LongPolls } from './delivery/long-polls.ts'
import type { HeartbeatBuffer } from './devices/heartbeat-buffer.ts'
import type { KeyCache } from './devices/key-cache.ts'
import type { CloudMeters } from './metrics/cloud-meters.ts'
import type { OfflineWatch } from './devices/offline-watch.ts'
import type { StrangerLimits } from './enrollments/stranger-limits.ts'
import type { UserCodes } from './enrollments/user-codes.ts'
import type { BlobStore } from './ports/blob-store.ts'
import type { CloudStore } from './ports/cloud-store.ts'
import type { TokenCache } from './tokens/token-cache.ts'
import type { GroupWork } from './searches/group-work.ts'
import type { SettledGroups } from './searches/settled-groups.ts'
import type { ResultFiles } from './searches/result-files.ts'
import type { Timers } from '@homeward/kit'
import type { Cleaning } from './retention/cleaning.ts'
import type { ChunkSessions } from './uploads/chunked/chunk-sessions.ts'
import type { LeftoverFiles } from './uploads/leftover-files.ts'
import type { UploadProgress } from './uploads/upload-progress.ts'
import type { CloudWebhooks } from './webhooks/create-cloud-webhooks.ts'

/** What every subject of one cloud shares. */
export interface CloudContext {
  readonly store: CloudStore
  readonly blobs: BlobStore
  readonly keys: KeyCache
  readonly meters: CloudMeters
  readonly tokens: TokenCache
  readonly heartbeats: HeartbeatBuffer
  readonly eventStreams: EventStreams
  readonly offlineWatch: OfflineWatch
  readonly polls: LongPolls
  readonly leftovers: LeftoverFiles
  /** Where large results of searches live. */
  readonly resultFiles: ResultFiles
  /** How far the uploads are that come to this process. */
  readonly progress: UploadProgress
  /** Uploads that resume; undefined where the cloud does not offer them (C25). */
  readonly chunkSessions: ChunkSessions | undefined
  readonly audit: AuditLog
  /** Undefined where the cloud sends no webhooks. */
  readonly webhooks: CloudWebhooks | undefined
  /** Makes the rows of large groups, ends those of removed ones, and runs saved searches that are due (C32). */
  readonly groupWork: GroupWork
  readonly settledGroups: SettledGroups
  readonly cleaning: Cleaning
  /** What the host waits by. */
  readonly timers: Timers | undefined
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** The same clock, also as the timestamp that it stands for. */
  readonly clock: () => { readonly ms: number; readonly at: string }
  readonly createId: () => string
  readonly random: () => number
  readonly randomBytes: (size: number) => Uint8Array
  readonly keyPrefix: string
  /** Devices that one process remembers at a time. */
  readonly maxCachedKeys: number
  readonly keySecret: string | undefined
  readonly onlineWindowMs: number
  readonly heartbeatIntervalSeconds: number | undefined
  readonly maxUploadBytes: number
  /** What `fileUrl` starts with, without a slash at its end; undefined where each request says it. */
  readonly publicUrl: string | undefined
  /** Page for the codes of devices that enroll; undefined where it lies beside the API. */
  readonly pairingUrl: string | undefined
  readonly userCodes: UserCodes
  readonly strangers: StrangerLimits
  readonly clientAddress: (request: RequestView) => string
  /** Tells the host; a listener that throws goes to `onError`. */
  readonly emit: CloudEventBus['emit']
  /** Where failures go that no caller waits for. Never throws, whatever the host's hook does. */
  readonly onError: (error: unknown) => void
}

/** On whose behalf a server-side call is made. */
export interface UserCall {
  /** Everything belongs to a user; what belongs to others does not exist for this one (C20). */
  readonly userId: string
  /** Who acts on behalf of the user, for the audit (C30). @default the user */
  readonly actor?: string | undefined
  /** What the caller may do: an API token that it creates may do no more (C30). @default everything */
  readonly may?: readonly Grant[] | undefined
  /** When the API token that the caller uses expires: one that it creates expires then at the latest. @default never */
  readonly until?: string | undefined
  /** Makes a creation safe to repeat (C20). */
  readonly idempotencyKey?: string | undefined
  /** Network address that the audit notes (C24). */
  readonly address?: string | undefined
  /** Scheme and host that `fileUrl` starts with. @default the `publicUrl` of the cloud; without one `fileUrl` is a path */
  readonly origin?: string
}

/** 404 for a device that does not exist, or not for this user. */
export const deviceNotFound = () => new HttpError(404, { error: 'Device not found' })

/** Timestamp as the cloud writes it. */
export const toTimestamp = (ms: number) => new Date(ms).toISOString()

/** Before it years have no four digits, and text no longer sorts like time. */
export const firstMs = Date.UTC(1000, 0, 1)

/** Behind it years have five digits, and text no longer sorts like time. */
export const lastMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** A clock that gives timestamps: a busy cloud reads it many times within one millisecond, and writes it out once. */
export function createTimestampClock(now: () => number): () => { readonly ms: number; readonly at: string } {
  let last = { ms: Number.NaN, at: '' }
  return () => {
    const ms = now()
    if (ms !== last.ms) last = { ms, at: toTimestamp(ms) }
    return last
  }
}
