import { HttpError, type RequestView } from '@homeward/contract/handler'
import type { AuditLog } from './audit/audit-log.ts'
import type { CloudEventBus } from './cloud-event-bus.ts'
import type { HeldPolls } from './delivery/held-polls.ts'
import type { HeartbeatBuffer } from './devices/heartbeat-buffer.ts'
import type { KeyCache } from './devices/key-cache.ts'
import type { BlobStore } from './ports/blob-store.ts'
import type { CloudStore } from './ports/cloud-store.ts'
import type { ChunkSessions } from './uploads/chunked/chunk-sessions.ts'
import type { LeftoverFiles } from './uploads/leftover-files.ts'
import type { UploadProgress } from './uploads/upload-progress.ts'

/** What every subject of one cloud shares. */
export interface CloudContext {
  readonly store: CloudStore
  readonly blobs: BlobStore
  readonly keys: KeyCache
  readonly heartbeats: HeartbeatBuffer
  readonly polls: HeldPolls
  readonly leftovers: LeftoverFiles
  /** How far the uploads are that come to this process. */
  readonly progress: UploadProgress
  /** Uploads that resume; undefined where the cloud does not offer them (C25). */
  readonly chunkSessions: ChunkSessions | undefined
  readonly audit: AuditLog
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** The same clock, also as the timestamp that it stands for. */
  readonly clock: () => { readonly ms: number; readonly at: string }
  readonly createId: () => string
  readonly random: () => number
  readonly randomBytes: (size: number) => Uint8Array
  readonly keyPrefix: string
  readonly keySecret: string | undefined
  readonly onlineWindowMs: number
  readonly heartbeatIntervalSeconds: number | undefined
  readonly maxUploadBytes: number
  /** What `fileUrl` starts with, without a slash at its end; undefined where each request says it. */
  readonly publicUrl: string | undefined
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
